import type { Schema } from "effect"
import { INQUIRY_FIELDS, STAY_FIELDS } from "../../../../domain/automation/rules/template.ts"
import {
  MESSAGE_TEXT,
  NAMES_CHOSEN_FROM,
  REVIEW_TEXT,
  RULE_NAME,
  RULE_NIGHTS,
  RULE_TRIGGER_DAYS,
  RULE_TRIGGER_HOURS
} from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Named } from "../../queries/named.ts"
import type { Form, SignedInVisit } from "../../visit.ts"
import { CHANNELS } from "../channel-words.ts"
import {
  area,
  asLines,
  asNumber,
  asText,
  choices,
  type Fill,
  filling,
  fillingAll,
  formOf,
  input,
  select
} from "../fields.ts"
import type { NotTaken } from "../page.ts"
import { section } from "../parts.ts"
import type { Kind, Timed } from "./kinds.ts"

// A rule is made by a form of its kind: each asks for what that kind has, and begins with a text that works.

export const MAKE = "make_rule"

/** What each field stands for, for whoever writes a text. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  "guest.name": "the guest's name",
  "guest.first_name": "the first word of it",
  "property.name": "the property's name",
  "property.address": "its address",
  "host.name": "your name as a business",
  "stay.code": "the code of the stay",
  "stay.check_in_date": "the day of arrival",
  "stay.check_in_time": "the usual time of arrival",
  "stay.check_out_date": "the day of leaving",
  "stay.check_out_time": "the usual time of leaving",
  "stay.nights": "how many nights",
  "stay.guests": "how many guests",
  "stay.door_code": "the door code, once the guest may see it",
  "stay.page": "the address of the guest's page"
}

const fieldList = ({ timed }: Kind): Html => {
  const names = timed === undefined ? INQUIRY_FIELDS : STAY_FIELDS
  return html`<div><h3>What a text may name</h3>
<p class="soft">Written in two braces, a field is filled in from the stay of whoever reads it. Where something of it is not known, the whole text is kept back, and the page of trying a rule says why.</p>
<dl class="facts">
${names.map(
  (name) => html`<dt><code>{{${name}}}</code></dt><dd>${FIELD_WORDS[name] ?? name}</dd>
`
)}${
  timed === undefined
    ? nothing
    : html`<dt><code>{{cf.NAME}}</code></dt><dd>the stay's own field NAME</dd>
`
}</dl></div>
`
}

/** The form of a kind, or what kinds there are. */
export const newRuleForm = (
  visit: SignedInVisit,
  kind: Kind,
  properties: ReadonlyArray<Named>,
  notTaken: NotTaken | undefined
): Html => {
  const fill = filling(notTaken, MAKE)
  const fields = html`${input(fill, { name: "name", label: "Name of the rule", value: kind.name, required: true, maxlength: RULE_NAME })}${kind.timed === undefined ? nothing : timeFields(fill, kind.timed)}${kind.action === "review" ? scoreField(fill) : nothing}${kind.action === "answer" ? nothing : textField(fill, kind)}${scopeFields(fill, properties, notTaken)}`
  const form = formOf(visit, { act: MAKE, button: "Make the rule", fields })
  return section(
    kind.words,
    kind.action === "answer"
      ? html`<p>Guests' questions are answered from the <a href="/console/knowledge">knowledge base</a>, where an entry answers them. What nothing answers waits for you.</p>
${form}`
      : html`<div class="columns"><div>${form}</div>${fieldList(kind)}</div>
`
  )
}

const UNITS = [
  { value: "days", words: "days, at a time of day" },
  { value: "hours", words: "hours" }
] as const

const timeFields = (fill: Fill, { event, when, far, unit, hoursOnly }: Timed): Html => {
  const what = `${when} ${event.replace("check_", "check-").replace("request", "the request").replace("booking", "the booking")}`
  const number = input(fill, {
    name: "far",
    label: hoursOnly === true ? `Hours ${what}` : `How long ${what}`,
    type: "number",
    value: String(far),
    min: 0,
    max: hoursOnly === true ? RULE_TRIGGER_HOURS : Math.max(RULE_TRIGGER_HOURS, RULE_TRIGGER_DAYS),
    required: true
  })
  if (hoursOnly === true) return number
  return html`${number}${select(fill, { name: "unit", label: "In", options: UNITS, value: unit })}${input(fill, { name: "at", label: "Time of day", hint: "for days", type: "time", value: "10:00" })}`
}

const scoreField = (fill: Fill): Html =>
  select(fill, {
    name: "score",
    label: "Score",
    value: 5,
    options: [5, 4, 3, 2, 1].map((value) => ({ value, words: `${value} of 5` }))
  })

const textField = (fill: Fill, { action, text }: Kind): Html =>
  area(fill, {
    name: "text",
    label: action === "review" ? "What the public reads" : "What the guest reads",
    value: text,
    rows: 10,
    required: true,
    maxlength: action === "review" ? REVIEW_TEXT : MESSAGE_TEXT
  })

const scopeFields = (fill: Fill, properties: ReadonlyArray<Named>, notTaken: NotTaken | undefined): Html => {
  const chosen = fillingAll(notTaken, MAKE)
  const shown = properties.slice(0, NAMES_CHOSEN_FROM)
  return html`${
    shown.length === 0
      ? nothing
      : choices({
          name: "property",
          legend: "Only in these properties (none: in all)",
          options: shown.map(({ id, name }) => ({ value: id, words: name })),
          chosen: chosen("property", [])
        })
  }${
    properties.length > NAMES_CHOSEN_FROM
      ? html`<p class="soft">These are the first ${NAMES_CHOSEN_FROM} by name.</p>
`
      : nothing
  }${choices({ name: "channel", legend: "Only booked at these (none: at all)", options: CHANNELS, chosen: chosen("channel", []) })}${input(fill, { name: "min", label: "At least so many nights", type: "number", min: 0, max: RULE_NIGHTS })}${input(fill, { name: "max", label: "At most so many nights", type: "number", min: 0, max: RULE_NIGHTS })}`
}

/** What the form asks for, as rules are written (docs/automation.md). */
export const writtenIn = (form: Form, { action, timed, kind }: Kind): Schema.JsonObject => ({
  name: asText(form.get("name") ?? ""),
  action,
  ...(kind === "inquiry" ? { trigger: { event: "inquiry" } } : {}),
  ...(timed === undefined ? {} : { trigger: triggerIn(form, timed) }),
  ...(action === "review" ? { score: asNumber(form.get("score") ?? "") } : {}),
  ...(action === "answer" ? {} : { text: asLines(form.get("text") ?? "") }),
  ...scopeIn(form)
})

const triggerIn = (form: Form, { event, when, hoursOnly }: Timed): Schema.JsonObject => {
  const far = asNumber(form.get("far") ?? "")
  return hoursOnly === true || form.get("unit") !== "days"
    ? { event, when, hours: far }
    : { event, when, days: far, at: form.get("at") ?? "" }
}

const scopeIn = (form: Form): Schema.JsonObject => {
  const [properties, channels] = [form.getAll("property"), form.getAll("channel")]
  const nights = Object.fromEntries(
    ["min", "max"].flatMap((name) => {
      const text = form.get(name) ?? ""
      return text.trim() === "" ? [] : [[name, asNumber(text)]]
    })
  )
  return {
    ...(properties.length === 0 ? {} : { property_ids: properties.map(asNumber) }),
    ...(channels.length === 0 ? {} : { channel_types: channels }),
    ...(Object.keys(nights).length === 0 ? {} : { nights })
  }
}
