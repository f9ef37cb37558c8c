// The kinds of rules that a host makes by a form: what each has, and what its form begins with.

/** When a rule of a kind acts; undefined: whenever somebody asks. */
export interface Timed {
  readonly event: string
  readonly when: "before" | "after"
  /** What the form begins with. */
  readonly far: number
  readonly unit: "hours" | "days"
  readonly hoursOnly?: true
}

export interface Kind {
  readonly kind: string
  readonly words: string
  readonly action: "send_message" | "review" | "answer"
  readonly timed?: Timed
  readonly name: string
  readonly text: string
}

export const KINDS: ReadonlyArray<Kind> = [
  {
    kind: "before_check_in",
    words: "A message before check-in",
    action: "send_message",
    timed: { event: "check_in", when: "before", far: 1, unit: "days" },
    name: "Before arrival",
    text: `Dear {{guest.first_name}},

we look forward to seeing you at {{property.name}} on {{stay.check_in_date}}. You can come in from {{stay.check_in_time}}.
All about your stay: {{stay.page}}

{{host.name}}`
  },
  {
    kind: "after_check_in",
    words: "A message after check-in",
    action: "send_message",
    timed: { event: "check_in", when: "after", far: 1, unit: "days" },
    name: "The first morning",
    text: `Good morning {{guest.first_name}},

did you find everything you need? If anything is missing, just write to us.

{{host.name}}`
  },
  {
    kind: "before_check_out",
    words: "A message before check-out",
    action: "send_message",
    timed: { event: "check_out", when: "before", far: 1, unit: "days" },
    name: "Before leaving",
    text: `Dear {{guest.first_name}},

tomorrow is your last day. Please leave by {{stay.check_out_time}}, and pull the door shut behind you. Safe travels!

{{host.name}}`
  },
  {
    kind: "after_check_out",
    words: "A message after check-out",
    action: "send_message",
    timed: { event: "check_out", when: "after", far: 1, unit: "days" },
    name: "After leaving",
    text: `Dear {{guest.first_name}},

thank you for staying with us. We would be glad of a review.

{{host.name}}`
  },
  {
    kind: "booking",
    words: "A message at the booking",
    action: "send_message",
    timed: { event: "booking", when: "after", far: 0, unit: "hours" },
    name: "Thanks for booking",
    text: `Dear {{guest.first_name}},

thank you for booking {{property.name}} from {{stay.check_in_date}} to {{stay.check_out_date}}. You hear from us before you arrive.

{{host.name}}`
  },
  {
    kind: "request",
    words: "A message at a booking request",
    action: "send_message",
    timed: { event: "request", when: "after", far: 0, unit: "hours", hoursOnly: true },
    name: "Request received",
    text: `Dear {{guest.first_name}},

thank you for your request. We answer it as soon as we can.

{{host.name}}`
  },
  {
    kind: "inquiry",
    words: "An answer to a first question",
    action: "send_message",
    name: "First question",
    text: `Hello {{guest.first_name}},

thank you for asking about {{property.name}}. We get back to you as soon as we can.

{{host.name}}`
  },
  {
    kind: "review",
    words: "A review after check-out",
    action: "review",
    timed: { event: "check_out", when: "after", far: 1, unit: "days" },
    name: "Review of the guest",
    text: "{{guest.first_name}} was a kind and tidy guest. Welcome back at any time."
  },
  {
    kind: "answer",
    words: "Answers to guests' questions",
    action: "answer",
    name: "Answers",
    text: ""
  }
]

export const kindOf = (kind: string | null): Kind | undefined => KINDS.find((each) => each.kind === kind)
