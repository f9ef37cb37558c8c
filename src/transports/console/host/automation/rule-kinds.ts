import type { RuleAction, RuleDefinition } from "../../../../domain/automation/rules/rule.ts"

/** Rules of a kind without a timing act when a guest asks a question. */
export interface RuleTiming {
  readonly event: string
  readonly direction: "before" | "after"
  readonly offset: number
  readonly offsetUnit: "hours" | "days"
  readonly hoursOnly?: true
  /** Default: 10:00. */
  readonly timeOfDay?: string
}

export interface RuleKind {
  readonly kind: string
  readonly label: string
  readonly action: RuleAction
  readonly timing?: RuleTiming
  readonly defaultName: string
  readonly defaultText: string
}

export const RULE_KINDS: ReadonlyArray<RuleKind> = [
  {
    kind: "before_check_in",
    label: "A message before check-in",
    action: "send_message",
    timing: { event: "check_in", direction: "before", offset: 1, offsetUnit: "days" },
    defaultName: "Before arrival",
    defaultText: `Dear {{guest.first_name}},

we look forward to seeing you at {{property.name}} on {{stay.check_in_date}}. You can come in from {{stay.check_in_time}}.
All about your stay: {{stay.page}}

{{host.name}}`
  },
  {
    kind: "after_check_in",
    label: "A message after check-in",
    action: "send_message",
    timing: { event: "check_in", direction: "after", offset: 1, offsetUnit: "days" },
    defaultName: "The first morning",
    defaultText: `Good morning {{guest.first_name}},

did you find everything you need? If anything is missing, just write to us.

{{host.name}}`
  },
  {
    kind: "before_check_out",
    label: "A message before check-out",
    action: "send_message",
    timing: { event: "check_out", direction: "before", offset: 1, offsetUnit: "days" },
    defaultName: "Before leaving",
    defaultText: `Dear {{guest.first_name}},

tomorrow is your last day. Please leave by {{stay.check_out_time}}, and pull the door shut behind you. Safe travels!

{{host.name}}`
  },
  {
    kind: "after_check_out",
    label: "A message after check-out",
    action: "send_message",
    timing: { event: "check_out", direction: "after", offset: 1, offsetUnit: "days" },
    defaultName: "After leaving",
    defaultText: `Dear {{guest.first_name}},

thank you for staying with us. We would be glad of a review.

{{host.name}}`
  },
  {
    kind: "booking",
    label: "A message at the booking",
    action: "send_message",
    timing: { event: "booking", direction: "after", offset: 0, offsetUnit: "hours" },
    defaultName: "Thanks for booking",
    defaultText: `Dear {{guest.first_name}},

thank you for booking {{property.name}} from {{stay.check_in_date}} to {{stay.check_out_date}}. You hear from us before you arrive.

{{host.name}}`
  },
  {
    kind: "request",
    label: "A message at a booking request",
    action: "send_message",
    timing: { event: "request", direction: "after", offset: 0, offsetUnit: "hours", hoursOnly: true },
    defaultName: "Request received",
    defaultText: `Dear {{guest.first_name}},

thank you for your request. We answer it as soon as we can.

{{host.name}}`
  },
  {
    kind: "inquiry",
    label: "An answer to a first question",
    action: "send_message",
    defaultName: "First question",
    defaultText: `Hello {{guest.first_name}},

thank you for asking about {{property.name}}. We get back to you as soon as we can.

{{host.name}}`
  },
  {
    kind: "review",
    label: "A review after check-out",
    action: "review",
    timing: { event: "check_out", direction: "after", offset: 1, offsetUnit: "days" },
    defaultName: "Review of the guest",
    defaultText: "{{guest.first_name}} was a kind and tidy guest. Welcome back at any time."
  },
  {
    kind: "task_check_out",
    label: "A task at check-out",
    action: "task",
    timing: { event: "check_out", direction: "after", offset: 0, offsetUnit: "hours" },
    defaultName: "Cleaning",
    defaultText: ""
  },
  {
    kind: "task_check_in",
    label: "A task before check-in",
    action: "task",
    timing: { event: "check_in", direction: "before", offset: 2, offsetUnit: "hours" },
    defaultName: "Prepare for arrival",
    defaultText: ""
  },
  {
    kind: "answer",
    label: "Answers to guests' questions",
    action: "answer",
    defaultName: "Answers",
    defaultText: ""
  }
]

const isOfKind = ({ action, timing, kind }: RuleKind, rule: RuleDefinition): boolean => {
  if (action !== rule.action) return false
  if (rule.action === "answer") return true
  const { trigger } = rule
  if (trigger.event === "inquiry" || timing === undefined) return kind === trigger.event
  return timing.event === trigger.event && timing.direction === trigger.when
}

const toTiming = (timing: RuleTiming, rule: RuleDefinition): RuleTiming => {
  if (rule.action === "answer" || rule.trigger.event === "inquiry") return timing
  return "hours" in rule.trigger
    ? { ...timing, offset: rule.trigger.hours, offsetUnit: "hours" }
    : { ...timing, offset: rule.trigger.days, offsetUnit: "days", timeOfDay: rule.trigger.at }
}

/** Returns the kind whose form edits the rule, with the values of the rule. A trigger that no form offers is kept. */
export const toEditedKind = (rule: RuleDefinition): RuleKind => {
  const offeredKind = RULE_KINDS.find((each) => isOfKind(each, rule))
  return {
    kind: offeredKind?.kind ?? "other",
    label: "Edit rule",
    action: rule.action,
    ...(offeredKind?.timing === undefined ? {} : { timing: toTiming(offeredKind.timing, rule) }),
    defaultName: rule.name,
    defaultText: "text" in rule ? rule.text : ""
  }
}

export const findRuleKind = (kind: string | null): RuleKind | undefined => RULE_KINDS.find((each) => each.kind === kind)
