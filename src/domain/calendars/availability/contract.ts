import { Schema } from "effect"
import { NotFound } from "../../../contract/errors.ts"
import { CalendarDate, Id } from "../../../contract/fields.ts"
import { Ids, IdsOrText } from "../../../contract/id-list.ts"
import { defineFamily, toolMetadata } from "../../../contract/operation.ts"
import {
  AVAILABILITY_ANSWER_DAYS,
  AVAILABILITY_CHANGE_DAYS,
  AVAILABILITY_DATES_MAX,
  AVAILABILITY_END_DAYS,
  AVAILABILITY_START_DAYS,
  IDS_MAX
} from "../../../platform/limits.ts"

// Contract facts 6.1 and 6.2.

export const DayAvailability = Schema.Struct({
  date: Schema.String.annotateKey({ documentation: "Day on which the night begins, YYYY-MM-DD." }),
  available: Schema.Boolean.annotateKey({
    documentation:
      "False if the host blocked the day, an imported calendar blocks it, a stay holds the night, or the property is deactivated."
  }),
  remarks: Schema.String.annotateKey({
    documentation:
      "Note on the day, for people: the host's note, the host names of the imported calendars that block it (`Busy in the calendar of www.airbnb.com`), and whether the property is deactivated. Empty if there is none."
  })
})
export type DayAvailability = typeof DayAvailability.Type

export const PropertyAvailability = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the property." }),
  availabilities: Schema.Array(DayAvailability).annotateKey({
    documentation: "One entry per day from `start_date` to `end_date`, in order."
  })
})
export type PropertyAvailability = typeof PropertyAvailability.Type

const Dates = Schema.Array(CalendarDate).check(
  Schema.isMaxLength(AVAILABILITY_DATES_MAX, { expected: `a list of at most ${AVAILABILITY_DATES_MAX} dates` })
)

const operation = defineFamily({ category: "calendar", since: "3.4.0", openWorld: true })

export const get_property_availability = operation("get_property_availability", {
  route: "GET /availabilities",
  summary: "Read the availability of properties day by day",
  details:
    "A deactivated property is unavailable from the day of its deactivation on. An unknown property returns 404.",
  payload: {
    property_ids: IdsOrText.annotateKey({
      documentation: `Properties to read, from search_properties: 1 to ${IDS_MAX} ids, separated by commas or as a list.`
    }),
    start_date: CalendarDate.annotateKey({
      documentation: `First day, at most ${AVAILABILITY_START_DAYS} days before or after today.`
    }),
    end_date: CalendarDate.annotateKey({
      documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today.`
    })
  },
  success: Schema.Struct({
    properties: Schema.Array(PropertyAvailability).annotateKey({
      documentation: "One entry per property, in the order of `property_ids`. An id that is sent twice counts once."
    })
  }),
  errors: [NotFound],
  exposure: toolMetadata(
    `Tells for each day from start_date to end_date (inclusive) whether a property can be sold: false when the host blocked it or a reservation holds the night. The day a guest leaves is free. Properties times days at most ${AVAILABILITY_ANSWER_DAYS}. start_date lies within a year of today, end_date within three.`,
    ["Is Harbour 1 free over Easter?", "Which of my flats are open next weekend?"],
    false
  )
})

export const update_availabilities = operation("update_availabilities", {
  route: "POST /availabilities",
  limits: { "1m": 120 },
  summary: "Block or unblock days of properties",
  details:
    "Blocking closes days for sale, such as a week of renovation, and unblocking opens them again. The call changes all days of all properties, or nothing. An unknown property returns 404.\n\n- Unblocking only reverts what the host blocked. Nights that a stay or an imported calendar holds stay unavailable, and so do all days of a deactivated property.\n- The host can still book blocked days with create_reservation.\n- The event `property_availability_updated` names only days whose availability changed.",
  payload: {
    property_ids: Ids.annotateKey({
      documentation: `Properties to change, from search_properties, 1 to ${IDS_MAX} ids.`
    }),
    available: Schema.Boolean.annotateKey({
      description: "false blocks the days, true unblocks them."
    }),
    start_date: Schema.optionalKey(CalendarDate).annotateKey({
      description: "First day, today or later. Needs `end_date`."
    }),
    end_date: Schema.optionalKey(CalendarDate).annotateKey({
      documentation: `Last day, included, at most ${AVAILABILITY_END_DAYS} days after today. Needs \`start_date\`.`
    }),
    dates: Schema.optionalKey(Dates).annotateKey({
      documentation: `Single days, today or later and at most ${AVAILABILITY_END_DAYS} days ahead. Ignored if \`start_date\` and \`end_date\` are sent.`
    })
  },
  success: Schema.Struct({}),
  errors: [NotFound],
  exposure: toolMetadata(
    `Blocks (available: false) or unblocks days of properties; connected channels follow within minutes. Give start_date and end_date (inclusive) or dates; with both, dates is ignored. Days are today or later, within three years; properties times days at most ${AVAILABILITY_CHANGE_DAYS}. Unblocking affects only what the host blocked: nights of reservations stay taken.`,
    ["Block Harbour 1 for the renovation in March", "Open the cabin again from the 5th to the 9th"],
    true,
    { idempotent: true }
  )
})

export const AvailabilityOperations = { get_property_availability, update_availabilities }
