/**
 * What the work answers, and how many milliseconds of a processor this thread took for it. A bound on them holds on a busy
 * machine too: time in which the thread waits for its turn does not count, nor what others do meanwhile.
 */
export const measureProcessorTime = <A>(work: () => A): { readonly result: A; readonly processorMs: number } => {
  const before = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(before)
  return { result, processorMs: (user + system) / 1_000 }
}
