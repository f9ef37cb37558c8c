// Loaded before the service in a soak: says every so often what only the process itself can tell. Memory after a collection,
// so that what is dead does not count; `serve` is given the means.

const EVERY_MS = 20_000
const MB = 2 ** 20

setInterval(() => {
  globalThis.gc?.()
  const timers = process.getActiveResourcesInfo().filter((what) => what === "Timeout").length
  console.error(`inside ${(process.memoryUsage().heapUsed / MB).toFixed(1)} ${timers}`)
}, EVERY_MS).unref()
