import { nearest } from "./nearest.ts"

// Which tool a name that is none may stand for. What it does must be the same: who wants something gone is not told how to make it.

/** Words that a name begins with, by what is done. */
const DOING: ReadonlyArray<ReadonlyArray<string>> = [
  ["search", "query", "get", "list", "find", "fetch", "read", "show"],
  ["create", "add", "make", "new", "send"],
  ["update", "edit", "change", "set", "modify"],
  ["delete", "remove", "cancel", "withdraw"]
]

/** What is done, by its place in {@link DOING}, and to what, of which there may be one or many. */
const partsOf = (name: string): { readonly doing: number; readonly what: string } => {
  const [verb = "", ...rest] = name.toLowerCase().split("_")
  const what = rest.map((word) => word.replace(/ies$/, "y").replace(/s$/, "")).join("_")
  return { doing: DOING.findIndex((verbs) => verbs.includes(verb)), what }
}

/** The tool that does the same to what is called alike; of a name that begins otherwise, the one written alike. */
export const nearestTool = (name: string, tools: ReadonlyArray<string>): string | undefined => {
  const { doing, what } = partsOf(name)
  if (doing === -1) return nearest(name, tools)
  const alike = tools.map((tool) => ({ tool, ...partsOf(tool) })).filter((each) => each.doing === doing)
  const near = nearest(
    what,
    alike.map((each) => each.what)
  )
  return near === undefined ? undefined : alike.find((each) => each.what === near)?.tool
}
