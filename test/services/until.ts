/** Waits for what must come. What does not come in time is said in its own words. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const endMs = performance.now() + withinMs; !(await holds()); ) {
    if (performance.now() >= endMs) throw new Error(`not so within ${withinMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
