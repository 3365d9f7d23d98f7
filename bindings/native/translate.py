"""Turns the WebAssembly module into C: translate.py NAMED MODULE WASM2C OUT.

MODULE is the module of the npm package, and NAMED the same module with the names of its
functions. WASM2C is the program. OUT gets module_*.c, module.h, module-impl.h; image.bin,
which is the memory that the module begins with; and memory.h, which says where that lies, and
how far the module reaches beyond what it is given.
"""

import glob
import os
import re
import subprocess
import sys

CUSTOM, DATA = 0, 11  # kinds of sections
PAGE = 4096
SMALL = 64 << 10  # above all constants that are added to an address after its check


def unsigned(b, i):
    """Reads a number in LEB128, and returns it and where it ends."""
    n = shift = 0
    while True:
        c = b[i]
        i += 1
        n |= (c & 127) << shift
        shift += 7
        if c < 128:
            return n, i


def address(b, i):
    """Reads the expression of an address, which is one constant."""
    assert b[i] == 0x41, 'the address of data is not a constant'
    n, i = unsigned(b, i + 1)
    assert b[i] == 0x0B
    return n & 0xFFFFFFFF, i + 1


def sections(module):
    """Yields each section: its kind, its bytes, and its content."""
    i = 8
    while i < len(module):
        n, content = unsigned(module, i + 1)
        end = content + n
        yield module[i], module[i:end], module[content:end]
        i = end


def image(data):
    """Returns the memory that data segments make, and its address.

    There are 65,000 segments. As arrays of C they would take more time and memory to
    compile than all functions.
    """
    memory = bytearray()
    count, i = unsigned(data, 0)
    for _ in range(count):
        mode, i = unsigned(data, i)
        assert mode == 0, 'a data segment is not active'
        at, i = address(data, i)
        n, i = unsigned(data, i)
        memory.extend(bytes(max(0, at + n - len(memory))))
        memory[at:at + n] = data[i:i + n]
        i += n
    low = next(i for i, b in enumerate(memory) if b) // PAGE * PAGE
    return memory[low:], low


def replace(text, pattern, by):
    """Replaces the one match of a pattern."""
    text, n = re.subn(pattern, lambda m: m.expand(by), text, flags=re.M)
    assert n == 1, f'{n} matches of {pattern}'
    return text


def edit(name, *changes):
    with open(name) as f:
        text = f.read()
    for change in changes:
        text = replace(text, *change)
    with open(name, 'w') as f:
        f.write(text)


def write(name, data):
    with open(name, 'wb') as f:
        f.write(data)


named, module, wasm2c, out = sys.argv[1:]
with open(named, 'rb') as f:
    named = f.read()
with open(module, 'rb') as f:
    module = f.read()


def code(module):
    return [section for kind, section, _ in sections(module) if kind != CUSTOM]


assert code(named) == code(module), 'the two modules differ in more than names'

memory, low = image(next(content for kind, _, content in sections(named) if kind == DATA))
write(os.path.join(out, 'image.bin'), memory)
write(os.path.join(out, 'memory.h'), f'#define IMAGE_AT {low}u\n#define FURTHER {2 * SMALL}u\n'.encode())
kept = [section for kind, section, content in sections(named) if kind != DATA and (kind != CUSTOM or content[1:5] == b'name')]
write(os.path.join(out, 'code.wasm'), named[:8] + b''.join(kept))
# It warns of an import that the module has twice.
subprocess.run([wasm2c, '--num-outputs', '24', '-n', 'module', '-o', os.path.join(out, 'module.c'), os.path.join(out, 'code.wasm')],
    check=True, stderr=subprocess.DEVNULL)

# Every function checks that the stack reaches no further down than the instance allows.
# wasm2c only has a count of calls in a variable of the thread, or a signal handler.
edit(os.path.join(out, 'module.h'), (r'^typedef struct w2c_module \{\n', r'\g<0>  uintptr_t stack_limit;\n  u32 reach;\n'))
edit(os.path.join(out, 'module-impl.h'), (
    r'^#if WASM_RT_STACK_DEPTH_COUNT\n#define FUNC_PROLOGUE[\s\S]*?^#endif\n',
    '#define FUNC_PROLOGUE if (UNLIKELY((uintptr_t)__builtin_frame_address(0) < instance->stack_limit)) TRAP(EXHAUSTION);\n#define FUNC_EPILOGUE\n'))

# No access leaves what an instance reserves: a power of two, and FURTHER. An instruction adds a
# constant to an address. The address loses the bits that are not in reach, which is the power
# of two less 1; where the constant is not small, the sum loses them. The accesses of a function
# to one address share this work. wasm2c itself compares each sum with the size of the memory,
# which takes 40 to 60 % more time, or needs 8 GB of addresses.
ACCESS = r'(wasm_rt_local_memory_base, wasm_rt_local_memory_size, &instance->w2c_memory, )'


def masked(m):
    if m[3] is None:
        return f'{m[1]}(u64)({m[2]} & reach)'
    if int(m[3]) < SMALL:
        return f'{m[1]}(u64)({m[2]} & reach) + {m[3]}u'
    return f'{m[1]}(((u64)({m[2]}) + {m[3]}u) & reach)'


# Go writes a jump within a function as the number of a block, which a switch at the top of the
# function leads to. Here a jump goes to the block itself, so that the compiler sees its loops.
SWITCH = re.compile(r'^  (var_L\d+): \n    (var_i\d+) = var_p0;\n    switch \(\2\) \{\n((?: +case \d+: goto var_B\d+;\n)+)', re.M)


def direct(function):
    """Returns a function with its jumps to blocks."""
    top = SWITCH.search(function)
    if top is None:
        return function
    label, _, cases = top.groups()
    blocks = dict(re.findall(r'case (\d+): goto (var_B\d+);', cases))
    function = re.sub(rf'((var_i\d+) = (\d+)u;\n +var_p0 = \2;\n +)goto {label};', lambda m: f'{m[1]}goto {blocks[m[3]]};', function)
    assert f'goto {label};' not in function, f'a jump has another form in {function[:200]}'
    return function


base = 'uint8_t* const wasm_rt_local_memory_base = (&instance->w2c_memory)->data;'
jumps = 0
for name in glob.glob(os.path.join(out, 'module_*.c')):
    with open(name) as f:
        text = f.read()
    accesses = len(re.findall(ACCESS, text))
    text, n = re.subn(ACCESS + r'\(u64\)\((var_\w+)\)(?: \+ (\d+)u)?(?=[,)])', masked, text)
    assert n == accesses, f'{accesses - n} accesses in {name} have another form'
    jumps += text.count('goto var_L')
    text = re.sub(r'^\w[^;{}]*\{\n[\s\S]*?^\}\n', lambda m: direct(m[0]), text, flags=re.M)
    jumps -= text.count('goto var_L')
    write(name, text.replace(base, f'{base}\n  const u32 reach = instance->reach;').encode())
assert jumps, 'no function has the switch that Go jumps with'

# Go's memchr for WebAssembly looks at one byte at a time, and is a sixth of the work of a
# large page. The one of the C library takes its place.
memchr = r'^u32 w2c_module_memchr(?:_0)?\(w2c_module\* instance, u32 var_p0, u32 var_p1, u32 var_p2\) \{\n'
found = [name for name in glob.glob(os.path.join(out, 'module_*.c')) if re.search(memchr, open(name).read(), re.M)]
assert len(found) == 1, found
edit(found[0], (memchr + r'[\s\S]*?^\}\n', '''u32 w2c_module_memchr(w2c_module* instance, u32 var_p0, u32 var_p1, u32 var_p2) {
  RANGE_CHECK(&instance->w2c_memory, var_p0, (u64)var_p2);
  const u8* const base = instance->w2c_memory.data;
  const u8* const found = memchr(base + var_p0, (u8)var_p1, var_p2);
  return found ? (u32)(found - base) : 0;
}
'''))
