import { Effect, type Schema } from "effect"
import type { search_reservations } from "../../../../domain/bookings/reservations/contract.ts"
import type { Reservation } from "../../../../domain/bookings/reservations/reservation.ts"
import { PAGE_MAX } from "../../../../platform/limits.ts"
import type { OperationName } from "../../../../service/Api.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { OfferedProperties } from "../../queries/OfferedProperties.ts"
import type { StayBeside } from "../../queries/StayBeside.ts"
import type { SignedInVisit, SubmittedForm } from "../../visit.ts"
import { failIfStale, type makeVoidMutation } from "../api-operations.ts"
import { describeConflict } from "../conflict-text.ts"
import { parseNumber, readChangedFields } from "../form-values.ts"
import { type ActionRedirect, type HostAction, makeActionError } from "../host-page.ts"
import type { Notice } from "../notice.ts"
import { formatDayRange } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { DATE_PARSERS } from "./edit-stay.ts"
import { findNewConflict } from "./move-conflicts.ts"

// Actions of a stay that can be undone. Their notices name what was done.

type Mutate = ReturnType<typeof makeVoidMutation>

export type ReservationSearch = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<typeof search_reservations.successSchema.Type, ActionError>

export interface StayActionContext {
  readonly search: ReservationSearch
  readonly mutate: Mutate
  readonly stayContext: StayBeside["Service"]
  readonly properties: OfferedProperties["Service"]
}

export const readStayCode = ({ query }: SignedInVisit): string => query.get("code") ?? ""

const readTagName = (form: SubmittedForm): string => (form.get("tag_name") ?? "").trim()

const redirectWithNotice = (visit: SignedInVisit, notice: Notice): ActionRedirect => ({
  _tag: "GoOn",
  url: currentUrlWith(visit),
  notice
})

const findStay = (
  search: ReservationSearch,
  visit: SignedInVisit
): Effect.Effect<Reservation | undefined, ActionError> =>
  Effect.map(search(visit, { reservation_code: readStayCode(visit), limit: PAGE_MAX }), ({ reservations }) =>
    reservations.find(({ stay_code }) => stay_code === readStayCode(visit))
  )

const CHECK_IN_MESSAGES: Readonly<Record<string, string>> = {
  checkin_pending: "Check-in undone.",
  in_house: "Checked in.",
  stay_completed: "Checked out."
}

export const makeUpdateArrival = ({ search, mutate }: StayActionContext): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const target = form.get("stay_status") ?? ""
    const current = (yield* findStay(search, visit))?.stay_status
    const update = mutate(visit, form, "update_stay_status", { stay_code: readStayCode(visit), stay_status: target })
    yield* failIfStale({ current, seen: form.get("seen"), target }, update)
    const undo = { action: "whereabouts", fields: { stay_status: current ?? "", seen: target } }
    return redirectWithNotice(visit, {
      text: CHECK_IN_MESSAGES[target] ?? "Saved.",
      ...(current === undefined || current === target ? {} : { undo })
    })
  })

/** An undo goes back to the former property, if it is still free, or to no property. */
const toMoveUndo = ({ in_reservation_box, property_id }: Reservation): NonNullable<Notice["undo"]> =>
  in_reservation_box
    ? { action: "box", fields: {} }
    : { action: "allocate", fields: { property_id: String(property_id), way: "" } }

/** Fails if the move would unassign a stay that the form has not shown. */
export const makeMoveStay = ({ search, mutate, stayContext }: StayActionContext): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const property_id = parseNumber(form.get("property_id") ?? "")
    const shownConflicts = form.get("way")
    const stay = yield* findStay(search, visit)
    const target = (yield* stayContext.of(readStayCode(visit)))?.properties.find(({ id }) => id === property_id)
    // If the stay is already in the target property, the form was repeated and succeeds.
    const isMove = stay !== undefined && stay.property_id !== property_id
    const displaces = isMove && stay.status === "accepted" && target !== undefined && target.stays.length > 0
    if (displaces && shownConflicts !== null) {
      const conflictError = findNewConflict(target, shownConflicts)
      if (conflictError !== undefined) return yield* Effect.fail(conflictError)
    }
    yield* Effect.mapError(
      mutate(visit, form, "allocate_stay", { stay_code: readStayCode(visit), property_id }),
      (error) => explainConflict(error, "property_id", target === undefined ? undefined : { ...target, stays: [] })
    )
    const text = target === undefined ? "Moved." : `Moved to ${target.title}.`
    // The undo could not return the stays that this move has unassigned.
    return redirectWithNotice(visit, isMove && !displaces ? { text, undo: toMoveUndo(stay) } : { text })
  })

const explainConflict = (
  error: ActionError,
  field: string,
  conflict: Parameters<typeof describeConflict>[0] | undefined
): ActionError => {
  const text = error.status === 409 && conflict !== undefined ? describeConflict(conflict) : undefined
  return text === undefined ? error : makeActionError(409, `${field}: ${text}`)
}

export const makeUnassignStay = ({ search, mutate }: StayActionContext): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const stay = yield* findStay(search, visit)
    yield* mutate(visit, form, "move_stay_to_box", { stay_code: readStayCode(visit) })
    const isMove = stay?.in_reservation_box === false
    return redirectWithNotice(visit, { text: "Unassigned.", ...(isMove ? { undo: toMoveUndo(stay) } : {}) })
  })

/** A conflict names the guests in the way. */
export const makeChangeDates = ({ search, mutate, properties }: StayActionContext): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const fields = readChangedFields(form, DATE_PARSERS)
    const stay = yield* findStay(search, visit)
    const dates = { check_in_date: stay?.check_in_date ?? "", check_out_date: stay?.check_out_date ?? "" }
    const nextDates = { ...dates, ...fields }
    yield* Effect.catch(
      mutate(visit, form, "update_reservation_basic", { stay_code: readStayCode(visit), ...fields }),
      (error) =>
        error.status === 409 && stay !== undefined
          ? Effect.flatMap(findOccupiedProperty(properties, stay, nextDates), (property) =>
              Effect.fail(explainConflict(error, "check_in_date", property))
            )
          : Effect.fail(error)
    )
    return redirectWithNotice(visit, {
      text: `Dates changed to ${formatDayRange(String(nextDates.check_in_date), String(nextDates.check_out_date))}.`,
      undo: { action: "dates", fields: dates }
    })
  })

/** Returns the property of the stay with the other stays that have these nights. */
const findOccupiedProperty = (
  properties: OfferedProperties["Service"],
  { property_id, stay_code }: Reservation,
  { check_in_date, check_out_date }: Schema.JsonObject
) =>
  Effect.map(properties.of({ from: String(check_in_date), before: String(check_out_date) }), (all) => {
    const property = all.find(({ id }) => id === property_id)
    return property === undefined
      ? undefined
      : { ...property, stays: property.stays.filter((each) => each.stay_code !== stay_code) }
  })

export const makeTagAction = (
  { mutate }: StayActionContext,
  operation: Extract<OperationName, "add_reservation_tag" | "remove_reservation_tag">
): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const tag_name = readTagName(form)
    yield* mutate(visit, form, operation, { stay_code: readStayCode(visit), tag_name })
    const isAdded = operation === "add_reservation_tag"
    return redirectWithNotice(visit, {
      text: isAdded ? `Tag “${tag_name}” added.` : `Tag “${tag_name}” removed.`,
      undo: { action: isAdded ? "untag" : "tag", fields: { tag_name } }
    })
  })
