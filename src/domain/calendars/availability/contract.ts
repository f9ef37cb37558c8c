import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { CalendarDate, Id } from "../../../contract/fields.ts"
import { Ids, IdsOrText } from "../../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import { AVAILABILITY_ANSWER_DAYS, AVAILABILITY_CHANGE_DAYS, AVAILABILITY_DATES_MAX } from "../../../platform/limits.ts"

// Contract facts 6.1 and 6.2.

export const DayAvailability = Schema.Struct({
  date: Schema.String.annotateKey({ description: "`YYYY-MM-DD`, a night that begins on this day." }),
  available: Schema.Boolean.annotateKey({
    description:
      "False when the host closed the day, a calendar of elsewhere says it is busy, a stay holds the night, or the property is deactivated."
  }),
  remarks: Schema.String
})
export type DayAvailability = typeof DayAvailability.Type

export const PropertyAvailability = Schema.Struct({
  id: Id,
  availabilities: Schema.Array(DayAvailability).annotateKey({ description: "One entry a day, in order." })
})
export type PropertyAvailability = typeof PropertyAvailability.Type

const Dates = Schema.Array(CalendarDate).check(
  Schema.isMaxLength(AVAILABILITY_DATES_MAX, { expected: `a list of at most ${AVAILABILITY_DATES_MAX} dates` })
)

const operation = defineFamily({ category: "calendar", since: "3.4.0", openWorld: true })

export const get_property_availability = operation("get_property_availability", {
  route: "GET /availabilities",
  summary: "Read which days properties are free",
  payload: { property_ids: IdsOrText, start_date: CalendarDate, end_date: CalendarDate },
  success: Schema.Struct({ properties: Schema.Array(PropertyAvailability) }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Tells for each day from start_date to end_date (inclusive) whether a property can be sold: false when the host closed it or a reservation holds the night. The day a guest leaves is free. Properties times days at most ${AVAILABILITY_ANSWER_DAYS}. start_date lies within a year of today, end_date within three.`,
    ["Is Harbour 1 free over Easter?", "Which of my flats are open next weekend?"],
    false
  )
})

export const update_availabilities = operation("update_availabilities", {
  route: "POST /availabilities",
  limits: { "1m": 120 },
  summary: "Open or close days of properties",
  payload: {
    property_ids: Ids,
    available: Schema.Boolean,
    start_date: Schema.optionalKey(CalendarDate),
    end_date: Schema.optionalKey(CalendarDate),
    dates: Schema.optionalKey(Dates)
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    `Closes (available: false) or opens days of properties for sale; connected channels follow within minutes. Give start_date and end_date (inclusive) or dates; with both, dates is ignored. Days are today or later, within three years; properties times days at most ${AVAILABILITY_CHANGE_DAYS}. Opening takes back only what the host closed: nights of reservations stay taken.`,
    ["Block Harbour 1 for the renovation in March", "Open the cabin again from the 5th to the 9th"],
    true,
    { idempotent: true }
  )
})

export const AvailabilityOperations = { get_property_availability, update_availabilities }
