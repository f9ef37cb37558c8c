import type { EventName } from "../../jobs/events/event-statements.ts"

interface EventRow {
  /** The event's own fields. `event` and `timestamp` are in every event. */
  readonly fields: string
  readonly triggers: ReadonlyArray<string>
  /** The operation that returns the current state. */
  readonly fetchWith: string
}

const STAY_FIELDS = "`reservation_code`, `stay_code`, `property_id`"

/** When the service sends each event (specification, Events). */
export const EVENT_TABLE: Readonly<Record<EventName, EventRow>> = {
  reservation_created: {
    fields: STAY_FIELDS,
    triggers: [
      "A new reservation comes from a channel, from `POST /reservations` or from the console: one event for each of its stays.",
      "A stay is added to a reservation."
    ],
    fetchWith: "GET /reservations?reservation_code=…"
  },
  reservation_updated: {
    fields: `${STAY_FIELDS}, and \`sub_event\` for the changes below`,
    triggers: [
      "The status of the reservation changes.",
      "Dates, guest counts or guest details of a stay change.",
      "A stay moves to another property, or becomes unassigned.",
      "A stay is removed from the reservation: one event for each remaining stay.",
      "The creator or the source of the reservation changes.",
      "The `stay_status` changes, or custom fields are saved.",
      "The guest's data is erased."
    ],
    fetchWith: "GET /reservations?reservation_code=…"
  },
  property_availability_updated: {
    fields: "`property_id`, `availabilities`: a list of `{date, available}` with one element for each affected day",
    triggers: [
      "Days are blocked or unblocked, by the API or in the console.",
      "A reservation takes days, or a cancellation or a move frees them.",
      "An imported calendar blocks or frees days.",
      "A property is deactivated or activated again."
    ],
    fetchWith: "GET /availabilities"
  },
  listing_calendar_updated: {
    fields: "`channel_type`, `listing_id`, `start_date`, `end_date`",
    triggers: [
      "The service pushed prices, inventory or restrictions to a listing of a channel, and the channel accepted them.",
      "Changes that are made directly on the channel do not send it."
    ],
    fetchWith: "POST /listings/calendar"
  },
  message_created: {
    fields: "`conversation_id`, `message_id`",
    triggers: [
      "A guest writes a message.",
      "The host sends a message by the API, in the console or on the channel.",
      "The service sends an automatic message."
    ],
    fetchWith: "GET /conversations/{id}"
  },
  review_created: {
    fields: STAY_FIELDS,
    triggers: ["The service first receives a review record of a channel. The record can still be empty."],
    fetchWith: "GET /reviews"
  },
  review_updated: {
    fields: STAY_FIELDS,
    triggers: ["The guest submits the review, the host replies, or score or text change."],
    fetchWith: "GET /reviews"
  },
  transaction_created: {
    fields: "`transaction_id`",
    triggers: ["An entry is created by `POST /transactions`, in the console, or by the service, such as a refund."],
    fetchWith: "GET /transactions?id=…"
  },
  transaction_updated: {
    fields: "`transaction_id`",
    triggers: [
      "An edit sends the amount, item, payment method, status, `action_at` or note of an entry, even with its present value."
    ],
    fetchWith: "GET /transactions?id=…"
  },
  transaction_deleted: {
    fields: "`transaction_id`",
    triggers: ["An entry is deleted for good."],
    fetchWith: "nothing: remove the entry from your copy"
  }
}

export const SUB_EVENT_TABLE: Readonly<Record<string, string>> = {
  arrival_and_departure_time_updated: "`arrival_at` or `departure_at` of the stay.",
  rates_updated: "The nightly rates, the commission, the accommodation revenue or the currency.",
  lock_code_updated: "The lock code is set or changed.",
  lock_code_deleted: "The lock code is removed.",
  check_in_details_updated:
    "`lock_code_visible_after`, `deposit` or `id_required`; a guest uploads an identity image; the host approves the check-in.",
  remarks_updated: "The host's note."
}
