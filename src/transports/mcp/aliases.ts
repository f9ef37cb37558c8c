import { BadRequest } from "../../contract/errors.ts"

// `tools/call` also accepts tool names that existing clients send (contract facts 14.5). Aliases are not in the tool
// list, so models do not learn them.

/**
 * Verbs of read tools are interchangeable: the public documentation has `search_` where the specification has `query_`
 * or `get_`.
 */
const READ_TOOL = /^(?:search|query|get|list)_(.+)$/
const READ_VERBS = ["search", "query", "get", "list"]

const TOOL_ALIASES: Readonly<Record<string, string>> = {
  search_availabilities: "get_property_availability",
  query_availabilities: "get_property_availability",
  get_availabilities: "get_property_availability",
  update_reservation: "update_reservation_basic",
  update_reservation_checkin_details: "update_check_in_details",
  update_reservation_check_in_details: "update_check_in_details",
  update_checkin_details: "update_check_in_details",
  update_custom_fields: "update_reservation_custom_fields",
  search_reservation_custom_fields: "query_custom_fields",
  search_automation_actions: "query_upcoming_automation_actions",
  query_automation_actions: "query_upcoming_automation_actions",
  search_groups: "search_property_groups",
  create_group: "create_property_group",
  update_group: "update_property_group",
  delete_group: "delete_property_group",
  search_property_tags: "query_tags",
  create_tag: "create_property_tag",
  update_tag: "update_property_tag",
  delete_tag: "delete_property_tag",
  add_reservation_tags: "add_reservation_tag",
  create_special_offer: "send_special_offer",
  delete_special_offer: "withdraw_special_offer",
  create_preapproval: "send_preapproval",
  create_message: "send_message"
}

/** The name of a tool is never an alias. */
export const makeToolAliases = (tools: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const toolNames = new Set(tools)
  const names = new Map<string, string>()
  const add = (name: string, tool: string) => {
    if (!toolNames.has(name) && toolNames.has(tool) && !names.has(name)) names.set(name, tool)
  }
  for (const [name, tool] of Object.entries(TOOL_ALIASES)) add(name, tool)
  for (const tool of tools) {
    const [, subject] = READ_TOOL.exec(tool) ?? []
    if (subject !== undefined) for (const verb of READ_VERBS) add(`${verb}_${subject}`, tool)
  }
  return names
}

type Fields = Readonly<Record<string, unknown>>

const ARGUMENT_ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  get_conversation: { conversation_id: "id" },
  send_message: { conversation_id: "id" }
}

interface ResolvedArguments {
  readonly fields: Fields
  readonly error: BadRequest | undefined
}

/** A null alias counts as absent. */
export const resolveArgumentAliases = (tool: string, fields: Fields): ResolvedArguments => {
  const names = ARGUMENT_ALIASES[tool]
  if (names === undefined) return { fields, error: undefined }
  const resolved = { ...fields }
  let conflict: BadRequest | undefined
  for (const [alias, name] of Object.entries(names)) {
    const value = resolved[alias]
    delete resolved[alias]
    if (value === undefined || value === null) continue
    resolved[name] ??= value
    if (resolved[name] !== value)
      conflict ??= new BadRequest({ message: `${alias}: must be the same as ${name}, or left out.` })
  }
  return { fields: resolved, error: conflict }
}
