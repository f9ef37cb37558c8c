import type { RuleDefinition } from "../../../../domain/automation/rules/rule.ts"
import type { NamedRecord } from "../../queries/named-records.ts"
import { channelName } from "../channel-names.ts"
import { pluralize } from "../page-parts.ts"
import { taskTypeText } from "../tasks/task-labels.ts"

type ScheduledRule = Exclude<RuleDefinition, { readonly action: "answer" }>
type RuleTrigger = ScheduledRule["trigger"]

const EVENT_NAMES: Readonly<Record<Exclude<RuleTrigger["event"], "inquiry">, string>> = {
  booking: "the booking",
  request: "a booking request",
  check_in: "check-in",
  check_out: "check-out"
}

const triggerText = (trigger: RuleTrigger): string => {
  if (trigger.event === "inquiry") return "when a guest without a booking asks"
  const event = EVENT_NAMES[trigger.event]
  if ("hours" in trigger) {
    return trigger.hours === 0 ? `at ${event}` : `${pluralize(trigger.hours, "hour")} ${trigger.when} ${event}`
  }
  return trigger.days === 0
    ? `on the day of ${event}, at ${trigger.at}`
    : `${pluralize(trigger.days, "day")} ${trigger.when} ${event}, at ${trigger.at}`
}

const actionText = (rule: RuleDefinition): string => {
  if (rule.action === "task") {
    return `Creates a task (${taskTypeText({ type: rule.task.type, level: rule.task.level ?? "standard" })}) ${triggerText(rule.trigger)}`
  }
  if (rule.action === "answer") return "Answers guests' questions from the knowledge base"
  return rule.action === "review"
    ? `Reviews the guest with ${rule.score}/5, ${triggerText(rule.trigger)}`
    : `Sends a message ${triggerText(rule.trigger)}`
}

const joinWithAnd = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`

const NAMES_LISTED = 5

const propertiesText = (ids: ReadonlyArray<number>, properties: ReadonlyArray<NamedRecord>): string => {
  const names = new Map(properties.map(({ id, name }) => [id, name]))
  const listedNames = ids.flatMap((id) => names.get(id) ?? []).slice(0, NAMES_LISTED)
  const remaining = ids.length - listedNames.length
  return joinWithAnd(
    remaining === 0
      ? listedNames
      : [
          ...listedNames,
          listedNames.length === 0 ? pluralize(remaining, "property", "properties") : pluralize(remaining, "other")
        ]
  )
}

const nightsText = ({ min, max }: NonNullable<RuleDefinition["nights"]>): string => {
  if (min === undefined) return `of at most ${pluralize(max ?? 0, "night")}`
  if (max === undefined) return `of at least ${pluralize(min, "night")}`
  return min === max ? `of ${pluralize(min, "night")}` : `of ${min} to ${pluralize(max, "night")}`
}

const staysText = (
  { property_ids, channel_types, nights }: RuleDefinition,
  properties: ReadonlyArray<NamedRecord>
): string =>
  [
    property_ids === undefined && channel_types === undefined && nights === undefined
      ? "all reservations"
      : "reservations",
    ...(nights === undefined ? [] : [nightsText(nights)]),
    ...(property_ids === undefined ? [] : [`in ${propertiesText(property_ids, properties)}`]),
    ...(channel_types === undefined ? [] : [`from ${joinWithAnd(channel_types.map(channelName))}`])
  ].join(" ")

export const ruleText = (rule: RuleDefinition, properties: ReadonlyArray<NamedRecord>): string =>
  `${actionText(rule)}, for ${staysText(rule, properties)}.`
