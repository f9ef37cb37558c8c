import { findNearestName } from "./nearest-name.ts"

// Suggests only tools with the same kind of verb: a caller who wants to delete must not get a tool that creates.

const VERB_GROUPS: ReadonlyArray<ReadonlyArray<string>> = [
  ["search", "query", "get", "list", "find", "fetch", "read", "show"],
  ["create", "add", "make", "new", "send"],
  ["update", "edit", "change", "set", "modify"],
  ["delete", "remove", "cancel", "withdraw"]
]

/** `verbGroup` is -1 if the verb is unknown. `subject` is in the singular. */
const splitToolName = (name: string): { readonly verbGroup: number; readonly subject: string } => {
  const [verb = "", ...rest] = name.toLowerCase().split("_")
  const subject = rest.map((word) => word.replace(/ies$/, "y").replace(/s$/, "")).join("_")
  return { verbGroup: VERB_GROUPS.findIndex((verbs) => verbs.includes(verb)), subject }
}

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
