import { findNearestName } from "./nearest-name.ts"

// Finds the tool that an unknown name most likely means. A name with a verb only matches tools with the same kind of verb, so a caller who
// wants to delete something gets no tool that creates it.

/** The first words of tool names, grouped by their meaning. */
const VERB_GROUPS: ReadonlyArray<ReadonlyArray<string>> = [
  ["search", "query", "get", "list", "find", "fetch", "read", "show"],
  ["create", "add", "make", "new", "send"],
  ["update", "edit", "change", "set", "modify"],
  ["delete", "remove", "cancel", "withdraw"]
]

/** Splits a tool name into the index of its verb in {@link VERB_GROUPS} (-1: none) and its subject in the singular. */
const splitToolName = (name: string): { readonly verbGroup: number; readonly subject: string } => {
  const [verb = "", ...rest] = name.toLowerCase().split("_")
  const subject = rest.map((word) => word.replace(/ies$/, "y").replace(/s$/, "")).join("_")
  return { verbGroup: VERB_GROUPS.findIndex((verbs) => verbs.includes(verb)), subject }
}

/** Returns the tool with the same kind of verb and the nearest subject. For a name without a known verb, returns the nearest name. */
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
