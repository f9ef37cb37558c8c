import { Effect, Schema } from "effect"
import { isCalendarDate } from "../../../../contract/fields.ts"
import { addDays, daysInRange } from "../../../../contract/time.ts"
import { SELECTED_DAYS } from "../../../../platform/limits.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { CalendarSpan } from "../../queries/Month.ts"
import { parseRecordId, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { parseNumber } from "../form-values.ts"
import { type ActionRedirect, makeActionError } from "../host-page.ts"
import type { Notice } from "../notice.ts"
import { formatDayRange, pluralize } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"

/** Days of properties that the host has selected. */
export interface DaySelection extends CalendarSpan {
  readonly propertyIds: ReadonlyArray<number>
}

/** What the form says, for the API to check. */
export const readDayFields = (form: SubmittedForm) => ({
  properties: form.getAll("property").map(parseNumber),
  start_date: form.get("from") ?? "",
  end_date: form.get("to") ?? ""
})

/** Returns undefined for fields that the API rejects. */
const parseSelection = (form: SubmittedForm): DaySelection | undefined => {
  const [first, last] = [form.get("from") ?? "", form.get("to") ?? ""]
  const propertyIds = form.getAll("property").flatMap((text) => parseRecordId(text) ?? [])
  return isCalendarDate(first) && isCalendarDate(last) && first <= last && propertyIds.length > 0
    ? { first, last, propertyIds }
    : undefined
}

/** Fails for more than {@link SELECTED_DAYS} days, or more properties than the limit. */
export const readSelection = (
  form: SubmittedForm,
  propertyLimit: number
): Effect.Effect<DaySelection | undefined, ActionError> => {
  const selection = parseSelection(form)
  if (selection === undefined) return Effect.succeed(undefined)
  if (daysInRange(selection.first, selection.last) > SELECTED_DAYS)
    return Effect.fail(makeActionError(422, `Select at most ${SELECTED_DAYS} days.`))
  return selection.propertyIds.length > propertyLimit
    ? Effect.fail(makeActionError(422, `Select at most ${propertyLimit} properties.`))
    : Effect.succeed(selection)
}

/** Returns `28–29 Nov 2026 in Lisbon, Chiado Loft`, or `in 3 properties`. */
export const describeSelection = (
  { first, last }: CalendarSpan,
  properties: ReadonlyArray<{ readonly title: string }>
): string => {
  const [property] = properties
  const place =
    properties.length === 1 && property !== undefined
      ? property.title
      : pluralize(properties.length, "property", "properties")
  return `${formatDayRange(first, last)} in ${place}`
}

export const redirectWithNotice = (visit: SignedInVisit, notice: Notice): ActionRedirect => ({
  _tag: "GoOn",
  url: currentUrlWith(visit, { property: undefined, to: undefined }),
  notice
})

export const UNDONE_NOTICE: Notice = { text: "Undone." }

/** Reads what an undo restores from its form. */
export const decodeUndo = <A>(schema: Schema.ConstraintCodec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return (form: SubmittedForm): Effect.Effect<A, ActionError> =>
    Effect.mapError(decode(form.get("before") ?? ""), () => makeActionError(400, "This cannot be undone any more."))
}

/** Joins consecutive days whose values are equal. `last` is included. */
export const joinDays = <Value>(
  days: ReadonlyArray<{ readonly day: string; readonly value: Value }>,
  isSame: (one: Value, other: Value) => boolean = () => true
) => {
  const ranges: Array<{ readonly first: string; readonly last: string; readonly value: Value }> = []
  for (const { day, value } of days) {
    const range = ranges.at(-1)
    if (range !== undefined && addDays(range.last, 1) === day && isSame(range.value, value))
      ranges[ranges.length - 1] = { ...range, last: day }
    else ranges.push({ first: day, last: day, value })
  }
  return ranges
}
