/** Module hooks that give one source file another text. They run on a thread of their own, where TypeScript is not loaded. */
let target;
let code;

export async function initialize(data) {
  ({ target, code } = data);
}

export async function load(url, context, next) {
  if (url.split('?')[0] !== target) return next(url, context);
  return { format: 'module', source: code, shortCircuit: true };
}
