import { Session } from "node:inspector"

// The bench preloads this module into a server. On the message "coverage" it sends the files of `src` whose functions have run since the
// message before.

export interface CoveredFiles {
  readonly coveredFiles: ReadonlyArray<string>
}

const session = new Session()
session.connect()
session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

process.on("message", (message) => {
  if (message !== "coverage") return
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error
    const coveredFiles = coverage.result
      .filter(
        ({ url, functions }) => url.includes("/src/") && !url.includes("/node_modules/") && functions.some(hasRun)
      )
      .map(({ url }) => url.slice(url.lastIndexOf("/src/") + 1))
    process.send?.({ coveredFiles } satisfies CoveredFiles)
  })
})
process.channel?.unref()

const hasRun = ({ ranges }: { readonly ranges: ReadonlyArray<{ readonly count: number }> }): boolean =>
  (ranges[0]?.count ?? 0) > 0
