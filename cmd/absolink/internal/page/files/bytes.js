// bytesOf decodes base64.
export function bytesOf(base64) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64 ?? '');
	const binary = atob(base64 ?? '');
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
	return bytes;
}

// unpacked returns a response with what is gzip in base64.
export function unpacked(base64) {
	const { readable, writable } = new DecompressionStream('gzip');
	const writer = writable.getWriter();
	writer.write(bytesOf(base64)).then(() => writer.close()).catch(() => {}); // who reads is told
	return new Response(readable);
}
