import type { RuleDefinition } from "../../../../domain/automation/rules/rule.ts"
import type { Named } from "../../queries/named.ts"
import { channelWords } from "../channel-words.ts"

// A rule in a sentence: what is done, when, and for which stays.

type Saying = Exclude<RuleDefinition, { readonly action: "answer" }>
type Trigger = Saying["trigger"]

const EVENTS: Readonly<Record<Exclude<Trigger["event"], "inquiry">, string>> = {
  booking: "the booking",
  request: "a booking request",
  check_in: "check-in",
  check_out: "check-out"
}

const counted = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`

export const whenWords = (trigger: Trigger): string => {
  if (trigger.event === "inquiry") return "at once, when somebody asks who has booked nothing"
  const event = EVENTS[trigger.event]
  if ("hours" in trigger) {
    return trigger.hours === 0 ? `at ${event}` : `${counted(trigger.hours, "hour")} ${trigger.when} ${event}`
  }
  return trigger.days === 0
    ? `on the day of ${event}, at ${trigger.at}`
    : `${counted(trigger.days, "day")} ${trigger.when} ${event}, at ${trigger.at}`
}

const whatWords = (rule: RuleDefinition): string => {
  if (rule.action === "answer") return "Answers what guests ask from the knowledge base"
  return rule.action === "review"
    ? `Reviews the guest with ${rule.score} of 5, ${whenWords(rule.trigger)}`
    : `Writes to the guest ${whenWords(rule.trigger)}`
}

const listed = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`

/** Properties that a sentence names; of more it says how many. */
const NAMED = 5

const propertyWords = (ids: ReadonlyArray<number>, properties: ReadonlyArray<Named>): string => {
  const names = new Map(properties.map(({ id, name }) => [id, name]))
  const named = ids.flatMap((id) => names.get(id) ?? []).slice(0, NAMED)
  const left = ids.length - named.length
  return listed(left === 0 ? named : [...named, counted(left, named.length === 0 ? "property" : "other")])
}

const nightWords = ({ min, max }: NonNullable<RuleDefinition["nights"]>): string => {
  if (min === undefined) return `of at most ${counted(max ?? 0, "night")}`
  if (max === undefined) return `of at least ${counted(min, "night")}`
  return min === max ? `of ${counted(min, "night")}` : `of ${min} to ${counted(max, "night")}`
}

const stayWords = ({ property_ids, channel_types, nights }: RuleDefinition, properties: ReadonlyArray<Named>): string =>
  [
    property_ids === undefined && channel_types === undefined && nights === undefined ? "all stays" : "stays",
    ...(nights === undefined ? [] : [nightWords(nights)]),
    ...(property_ids === undefined ? [] : [`in ${propertyWords(property_ids, properties)}`]),
    ...(channel_types === undefined ? [] : [`booked at ${listed(channel_types.map(channelWords))}`])
  ].join(" ")

export const ruleWords = (rule: RuleDefinition, properties: ReadonlyArray<Named>): string =>
  `${whatWords(rule)}, for ${stayWords(rule, properties)}.`
