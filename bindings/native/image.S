// The memory that the module begins with: absolink_image up to absolink_image_end.
#if defined(__APPLE__)
	.section __TEXT,__const
#define S(x) _##x
#elif defined(_WIN32)
	.section .rdata,"dr"
#define S(x) x
#else
	.section .rodata
#define S(x) x
	.hidden absolink_image
	.hidden absolink_image_end
#endif
	.globl S(absolink_image), S(absolink_image_end)
	.p2align 12
S(absolink_image):
	.incbin IMAGE
S(absolink_image_end):
#if defined(__linux__)
	.section .note.GNU-stack,"",%progbits
#endif
