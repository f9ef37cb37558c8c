import { Result } from "effect"
import { toPrintableName } from "../../../contract/printable-name.ts"
import { TEMPLATE_FIELDS_MAX } from "../../../platform/limits.ts"
import { guestPortalUrl } from "../../bookings/check-in/guest-portal-url.ts"
import { findVisibleDoorCode } from "../../bookings/check-in/rules.ts"
import type { InquiryFacts, StayFacts } from "../template-facts.ts"
import { nightsOf } from "./scheduling.ts"

interface Template {
  readonly parts: ReadonlyArray<TemplatePart>
}

type TemplatePart = { readonly text: string } | { readonly field: string }

export interface FilledTemplate {
  readonly text: string
  /** Values from the check-in guide: address, times, door code, guest portal. */
  readonly guide: ReadonlyArray<string>
}

export interface StayTemplateContext {
  readonly stay: StayFacts
  readonly now: Date
  readonly publicUrl: string
}

interface TemplateField<Source> {
  /** Null, undefined or a blank text means unknown. */
  readonly getValue: (source: Source) => string | null | undefined
  /** Second part of the error message "{{field}}: …". */
  readonly missingReason: string
  readonly isGuide?: true
}

interface CommonTemplateFacts {
  readonly guest_name: string | null
  readonly title: string | null
  readonly address: string | null
  readonly host_name: string
}

const findFirstWord = (name: string | null): string | undefined => name?.trim().split(/\s/u)[0]

const NO_GUEST_NAME = "the guest has no name"

const COMMON_FIELDS: ReadonlyArray<readonly [string, TemplateField<CommonTemplateFacts>]> = [
  ["guest.name", { getValue: ({ guest_name }) => guest_name, missingReason: NO_GUEST_NAME }],
  ["guest.first_name", { getValue: ({ guest_name }) => findFirstWord(guest_name), missingReason: NO_GUEST_NAME }],
  ["property.name", { getValue: ({ title }) => title, missingReason: "there is no property" }],
  [
    "property.address",
    { getValue: ({ address }) => address, missingReason: "the property has no address", isGuide: true }
  ],
  ["host.name", { getValue: ({ host_name }) => host_name, missingReason: "the host has no name" }]
]

const INQUIRY_FIELDS_BY_NAME: ReadonlyMap<string, TemplateField<InquiryFacts>> = new Map(COMMON_FIELDS)

const makeGuideField = (
  label: string,
  getValue: TemplateField<StayTemplateContext>["getValue"]
): TemplateField<StayTemplateContext> => ({
  getValue,
  missingReason: `the stay has no ${label}`,
  isGuide: true
})

const STAY_FIELDS_BY_NAME: ReadonlyMap<string, TemplateField<StayTemplateContext>> = new Map<
  string,
  TemplateField<StayTemplateContext>
>([
  ...COMMON_FIELDS.map(([name, { getValue, ...field }]): [string, TemplateField<StayTemplateContext>] => [
    name,
    { ...field, getValue: ({ stay }) => getValue(stay) }
  ]),
  ["stay.code", { getValue: ({ stay }) => stay.stay_code, missingReason: "the stay has no code" }],
  ["stay.check_in_date", { getValue: ({ stay }) => stay.check_in_date, missingReason: "the stay has no dates" }],
  ["stay.check_in_time", makeGuideField("check-in time", ({ stay }) => stay.check_in_time)],
  ["stay.check_out_date", { getValue: ({ stay }) => stay.check_out_date, missingReason: "the stay has no dates" }],
  ["stay.check_out_time", makeGuideField("check-out time", ({ stay }) => stay.check_out_time)],
  ["stay.nights", { getValue: ({ stay }) => String(nightsOf(stay)), missingReason: "the stay has no nights" }],
  ["stay.guests", { getValue: ({ stay }) => String(stay.number_of_guests), missingReason: "the stay has no guests" }],
  [
    "stay.door_code",
    {
      getValue: ({ stay, now }) => findVisibleDoorCode(stay, now),
      missingReason: "the stay has no door code, or its guests may not see it yet",
      isGuide: true
    }
  ],
  ["stay.page", makeGuideField("page", ({ stay, publicUrl }) => guestPortalUrl(publicUrl, stay.guide_token))]
])

export const STAY_FIELD_NAMES: ReadonlyArray<string> = Array.from(STAY_FIELDS_BY_NAME.keys())
export const INQUIRY_FIELD_NAMES: ReadonlyArray<string> = Array.from(INQUIRY_FIELDS_BY_NAME.keys())

const CUSTOM_FIELD_PREFIX = "cf."

const makeCustomField = (field: string): TemplateField<StayTemplateContext> => {
  const name = field.slice(CUSTOM_FIELD_PREFIX.length)
  return {
    getValue: ({ stay: { custom_fields } }) =>
      custom_fields !== null && Object.hasOwn(custom_fields, name) ? custom_fields[name] : undefined,
    missingReason: `the stay has no custom field ${toPrintableName(name)}`
  }
}

const findStayField = (field: string): TemplateField<StayTemplateContext> | undefined =>
  STAY_FIELDS_BY_NAME.get(field) ??
  (field.length > CUSTOM_FIELD_PREFIX.length && field.startsWith(CUSTOM_FIELD_PREFIX)
    ? makeCustomField(field)
    : undefined)

const toPlaceholder = (field: string): string => `{{${toPrintableName(field)}}}`

// `{{{{` stands for the text `{{`. An unclosed `{{` becomes a field without a name, which `parseTemplate` rejects.
const TEMPLATE_TOKEN = /(\{\{\{\{|\{\{[^{}]*\}\}|\{\{)/u

const OPENING_BRACES = "{{"

const parseParts = (text: string): ReadonlyArray<TemplatePart> =>
  text.split(TEMPLATE_TOKEN).map((piece, index) => (index % 2 === 0 ? { text: piece } : parseTemplateToken(piece)))

const parseTemplateToken = (token: string): TemplatePart =>
  token === OPENING_BRACES + OPENING_BRACES
    ? { text: OPENING_BRACES }
    : { field: token.slice(OPENING_BRACES.length, -OPENING_BRACES.length).trim() }

const listFieldNames = ({ parts }: Template): ReadonlyArray<string> =>
  parts.flatMap((part) => ("field" in part ? [part.field] : []))

export const parseTemplate = (text: string): Result.Result<Template, string> => {
  const template = { parts: parseParts(text) }
  const fields = listFieldNames(template)
  if (fields.includes(""))
    return Result.fail("{{ must be followed by the name of a field and }}; write {{{{ for two braces.")
  if (fields.length > TEMPLATE_FIELDS_MAX) return Result.fail(`A template has at most ${TEMPLATE_FIELDS_MAX} fields.`)
  const unknownField = fields.find((field) => findStayField(field) === undefined)
  return unknownField === undefined
    ? Result.succeed(template)
    : Result.fail(`${toPlaceholder(unknownField)}: is an unknown field.`)
}

export const findStayOnlyField = (template: Template): string | undefined =>
  listFieldNames(template).find((field) => !INQUIRY_FIELDS_BY_NAME.has(field))

// Values from guests and channels must not add lines or reorder the text around them.
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

const sanitizeValue = (value: string): string => value.replace(BIDI_CONTROLS, "").replace(LINE_BREAKS, " ").trim()

interface FilledPart {
  readonly text: string
  readonly isGuide: boolean
}

const makeTemplateFiller =
  <Source>(findField: (field: string) => TemplateField<Source> | undefined) =>
  ({ parts }: Template, source: Source): Result.Result<FilledTemplate, string> => {
    const fillPart = (part: TemplatePart): Result.Result<FilledPart, string> => {
      if ("text" in part) return Result.succeed({ text: part.text, isGuide: false })
      const field = findField(part.field)
      const value = sanitizeValue(field?.getValue(source) ?? "")
      return value === ""
        ? Result.fail(`${toPlaceholder(part.field)}: ${field?.missingReason ?? "there is no booking"}.`)
        : Result.succeed({ text: value, isGuide: field?.isGuide === true })
    }
    return Result.map(Result.all(parts.map(fillPart)), (filledParts) => ({
      text: filledParts.map(({ text }) => text).join(""),
      guide: filledParts.filter(({ isGuide }) => isGuide).map(({ text }) => text)
    }))
  }

const fillForStay = makeTemplateFiller(findStayField)
const fillForInquiry = makeTemplateFiller((field) => INQUIRY_FIELDS_BY_NAME.get(field))

/** Fails with a message that names a field whose value is unknown or must not be disclosed yet. */
export const fillStayTemplate = (
  template: Template,
  context: StayTemplateContext
): Result.Result<FilledTemplate, string> => fillForStay(template, context)

export const fillInquiryTemplate = (template: Template, inquiry: InquiryFacts): Result.Result<FilledTemplate, string> =>
  fillForInquiry(template, inquiry)
