import { findNearestName } from "./nearest-name.ts"

// Which tool a name that is none may stand for. What it does must be the same: who wants something gone is not told how to make it.

/** Words that a name begins with, by what is done. */
const VERB_GROUPS: ReadonlyArray<ReadonlyArray<string>> = [
  ["search", "query", "get", "list", "find", "fetch", "read", "show"],
  ["create", "add", "make", "new", "send"],
  ["update", "edit", "change", "set", "modify"],
  ["delete", "remove", "cancel", "withdraw"]
]

/** What is done, by its place in {@link VERB_GROUPS}, and to what, of which there may be one or many. */
const splitToolName = (name: string): { readonly verbGroup: number; readonly subject: string } => {
  const [verb = "", ...rest] = name.toLowerCase().split("_")
  const subject = rest.map((word) => word.replace(/ies$/, "y").replace(/s$/, "")).join("_")
  return { verbGroup: VERB_GROUPS.findIndex((verbs) => verbs.includes(verb)), subject }
}

/** The tool that does the same to what is called alike; of a name that begins otherwise, the one written alike. */
export const findNearestTool = (name: string, tools: ReadonlyArray<string>): string | undefined => {
  const { verbGroup, subject } = splitToolName(name)
  if (verbGroup === -1) return findNearestName(name, tools)
  const sameVerbTools = tools
    .map((tool) => ({ tool, ...splitToolName(tool) }))
    .filter((each) => each.verbGroup === verbGroup)
  const nearestSubject = findNearestName(
    subject,
    sameVerbTools.map((each) => each.subject)
  )
  return nearestSubject === undefined ? undefined : sameVerbTools.find((each) => each.subject === nearestSubject)?.tool
}
