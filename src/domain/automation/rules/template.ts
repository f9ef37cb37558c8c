import { Result } from "effect"
import { toldName } from "../../../contract/told-name.ts"
import { TEMPLATE_FIELDS } from "../../../platform/limits.ts"
import { addressOf } from "../../bookings/check-in/address.ts"
import { doorCodeOf } from "../../bookings/check-in/rules.ts"
import type { InquiryFacts, StayFacts } from "../facts.ts"
import { nightsOf } from "./scheduling.ts"

// What a host writes once and every guest reads with his own stay in it. A template is read once, before anything is filled in:
// what is filled in is text, whatever is in it.

/** A template that was read, once. */
export interface Template {
  readonly parts: ReadonlyArray<TemplatePart>
}

type TemplatePart = { readonly text: string } | { readonly field: string }

/** A template with everything in it. */
export interface Filled {
  readonly text: string
  /** What of it is of the guide to the stay: the texts that were filled in for address, times, door, page. */
  readonly guide: ReadonlyArray<string>
}

/** What of a stay is filled in, as it is at an instant. */
export interface Filling {
  readonly stay: StayFacts
  readonly now: Date
  readonly publicUrl: string
}

interface Field<From> {
  /** Undefined, or nothing but blanks: it is not known. */
  readonly of: (from: From) => string | null | undefined
  /** Why it is not, as the end of "{{field}}: …". */
  readonly unknown: string
  /** Whether it is of the guide to the stay. */
  readonly guide?: true
}

/** Who is asked, by whom, and for what. */
interface Asked {
  readonly guest_name: string | null
  readonly title: string | null
  readonly address: string | null
  readonly host_name: string
}

/** The first of several words; a name that is written without blanks is one. */
const firstWord = (name: string | null): string | undefined => name?.trim().split(/\s/u)[0]

const NAMELESS = "the guest has no name"

/** What is known as soon as somebody asks. */
const OF_ANYBODY: ReadonlyArray<readonly [string, Field<Asked>]> = [
  ["guest.name", { of: ({ guest_name }) => guest_name, unknown: NAMELESS }],
  ["guest.first_name", { of: ({ guest_name }) => firstWord(guest_name), unknown: NAMELESS }],
  ["property.name", { of: ({ title }) => title, unknown: "there is no property" }],
  ["property.address", { of: ({ address }) => address, unknown: "the property has no address", guide: true }],
  ["host.name", { of: ({ host_name }) => host_name, unknown: "the host has no name" }]
]

const OF_INQUIRIES: ReadonlyMap<string, Field<InquiryFacts>> = new Map(OF_ANYBODY)

const guideOf = (what: string, of: Field<Filling>["of"]): Field<Filling> => ({
  of,
  unknown: `the stay has no ${what}`,
  guide: true
})

const OF_STAYS: ReadonlyMap<string, Field<Filling>> = new Map<string, Field<Filling>>([
  ...OF_ANYBODY.map(([name, { of, ...field }]): [string, Field<Filling>] => [
    name,
    { ...field, of: ({ stay }) => of(stay) }
  ]),
  ["stay.code", { of: ({ stay }) => stay.stay_code, unknown: "the stay has no code" }],
  ["stay.check_in_date", { of: ({ stay }) => stay.check_in_date, unknown: "the stay has no dates" }],
  ["stay.check_in_time", guideOf("check-in time", ({ stay }) => stay.check_in_time)],
  ["stay.check_out_date", { of: ({ stay }) => stay.check_out_date, unknown: "the stay has no dates" }],
  ["stay.check_out_time", guideOf("check-out time", ({ stay }) => stay.check_out_time)],
  ["stay.nights", { of: ({ stay }) => String(nightsOf(stay)), unknown: "the stay has no nights" }],
  ["stay.guests", { of: ({ stay }) => String(stay.number_of_guests), unknown: "the stay has no guests" }],
  [
    "stay.door_code",
    {
      of: ({ stay, now }) => doorCodeOf(stay, now),
      unknown: "the stay has no door code, or its guests may not see it yet",
      guide: true
    }
  ],
  ["stay.page", guideOf("page", ({ stay, publicUrl }) => addressOf(publicUrl, stay.guide_token))]
])

/** The names of the fields that a template about a stay knows beside custom ones, and of those that an inquiry knows. */
export const STAY_FIELDS: ReadonlyArray<string> = Array.from(OF_STAYS.keys())
export const INQUIRY_FIELDS: ReadonlyArray<string> = Array.from(OF_INQUIRIES.keys())

/** What begins the name of a custom field of the stay. */
const CUSTOM = "cf."

const customField = (field: string): Field<Filling> => {
  const name = field.slice(CUSTOM.length)
  return {
    // What is no field of its own is what every object has.
    of: ({ stay: { custom_fields } }) =>
      custom_fields !== null && Object.hasOwn(custom_fields, name) ? custom_fields[name] : undefined,
    unknown: `the stay has no custom field ${toldName(name)}`
  }
}

const fieldOfStay = (field: string): Field<Filling> | undefined =>
  OF_STAYS.get(field) ?? (field.length > CUSTOM.length && field.startsWith(CUSTOM) ? customField(field) : undefined)

const inBraces = (field: string): string => `{{${toldName(field)}}}`

// Four braces are two that are text; two open a field, which has no brace in it; two that nothing closes open none.
const TOKEN = /(\{\{\{\{|\{\{[^{}]*\}\}|\{\{)/u

const OPEN = "{{"

const partsOf = (text: string): ReadonlyArray<TemplatePart> =>
  text.split(TOKEN).map((piece, at) => (at % 2 === 0 ? { text: piece } : tokenOf(piece)))

const tokenOf = (token: string): TemplatePart =>
  token === OPEN + OPEN ? { text: OPEN } : { field: token.slice(OPEN.length, -OPEN.length).trim() }

const fieldsIn = ({ parts }: Template): ReadonlyArray<string> =>
  parts.flatMap((part) => ("field" in part ? [part.field] : []))

/** Reads a template; fails with what is wrong with it: a field that there is not, a brace that is not closed. */
export const templateOf = (text: string): Result.Result<Template, string> => {
  const template = { parts: partsOf(text) }
  const fields = fieldsIn(template)
  if (fields.includes(""))
    return Result.fail("{{ must be followed by the name of a field and }}; write {{{{ for two braces.")
  if (fields.length > TEMPLATE_FIELDS) return Result.fail(`A template has at most ${TEMPLATE_FIELDS} fields.`)
  const unknown = fields.find((field) => fieldOfStay(field) === undefined)
  return unknown === undefined ? Result.succeed(template) : Result.fail(`${inBraces(unknown)}: is an unknown field.`)
}

/** The first field of a template of which nothing is known where nothing is booked; undefined: it can answer an inquiry. */
export const fieldOfStayIn = (template: Template): string | undefined =>
  fieldsIn(template).find((field) => !OF_INQUIRIES.has(field))

// What guests and channels wrote comes into a message as one line of its own characters: it begins no paragraph, and turns no
// text around that stands beside it.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const harmless = (value: string): string => value.replace(TURNS, "").replace(BREAKS, " ").trim()

/** What stands in the place of a part. */
interface FilledPart {
  readonly text: string
  readonly isGuide: boolean
}

const filling =
  <From>(fieldOf: (field: string) => Field<From> | undefined) =>
  ({ parts }: Template, from: From): Result.Result<Filled, string> => {
    const fill = (part: TemplatePart): Result.Result<FilledPart, string> => {
      if ("text" in part) return Result.succeed({ text: part.text, isGuide: false })
      const field = fieldOf(part.field)
      const value = harmless(field?.of(from) ?? "")
      return value === ""
        ? Result.fail(`${inBraces(part.field)}: ${field?.unknown ?? "there is no booking"}.`)
        : Result.succeed({ text: value, isGuide: field?.guide === true })
    }
    return Result.map(Result.all(parts.map(fill)), (all) => ({
      text: all.map(({ text }) => text).join(""),
      guide: all.filter(({ isGuide }) => isGuide).map(({ text }) => text)
    }))
  }

const fillOfStay = filling(fieldOfStay)
const fillOfInquiry = filling((field) => OF_INQUIRIES.get(field))

/** Fills a template; fails with the field that is not known of this stay, or not yet to be told. */
export const fillTemplate = (template: Template, from: Filling): Result.Result<Filled, string> =>
  fillOfStay(template, from)

/** Fills a template for somebody who inquires; fails with the field that is not known. */
export const fillInquiryTemplate = (template: Template, inquiry: InquiryFacts): Result.Result<Filled, string> =>
  fillOfInquiry(template, inquiry)
