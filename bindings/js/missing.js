// missing returns the error where the module is not beside the code, as after a bundler.
export const missing = (cause) => new Error('the module of absolink is not beside its code: with a bundler that does not copy it, import absolink/inline', { cause });
