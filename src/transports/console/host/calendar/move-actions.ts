import { Effect } from "effect"
import { isCalendarDate } from "../../../../contract/fields.ts"
import { CONFLICTING_STAYS_MAX, RECORD_CODE_LENGTH } from "../../../../platform/limits.ts"
import type { Service } from "../../../../service/service.ts"
import type { ActionError } from "../../action-outcome.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import type { MovedStay, StayMoves } from "../../queries/StayMoves.ts"
import { parseRecordId, type SignedInVisit, type SubmittedForm } from "../../visit.ts"
import { makeVoidMutation } from "../api-operations.ts"
import { channelName } from "../channel-names.ts"
import { type ActionRedirect, type HostAction, makeActionError } from "../host-page.ts"
import type { UndoForm } from "../notice.ts"
import { formatDayRange } from "../page-parts.ts"
import { guestLabel } from "../stay/stay-labels.ts"
import { redirectWithNotice } from "./day-selection.ts"
import { confirmationOf, describeStays, fingerprintConflicts, needsConfirmation } from "./move-confirmation.ts"

export const MOVE_ACTION = "move_stay"

interface MoveRequest {
  readonly stayCode: string
  /** Undefined to unassign the stay. */
  readonly propertyId: number | undefined
  readonly checkIn: string
  readonly checkOut: string
}

const readMove = (form: SubmittedForm): MoveRequest | undefined => {
  const stayCode = (form.get("stay") ?? "").slice(0, RECORD_CODE_LENGTH)
  const [checkIn, checkOut] = [form.get("check_in_date") ?? "", form.get("check_out_date") ?? ""]
  const property = form.get("property_id") ?? ""
  const propertyId = parseRecordId(property)
  const isValid = isCalendarDate(checkIn) && isCalendarDate(checkOut) && checkIn < checkOut
  return isValid && stayCode !== "" && (propertyId !== undefined || property === "")
    ? { stayCode, propertyId, checkIn, checkOut }
    : undefined
}

const noSuchStayError = makeActionError(404, "This reservation does not exist any more.")
const noSuchPropertyError = makeActionError(404, "This property does not exist any more.")
const invalidMoveError = makeActionError(400, "Choose a reservation, and where it moves to.")

/** An undo also returns stays that the move has unassigned. */
const toUndo = (stay: MovedStay, unassigned: OfferedProperty["stays"], formerTarget: number | undefined): UndoForm => ({
  action: MOVE_ACTION,
  fields: {
    stay: stay.stay_code,
    property_id: stay.property_id === null ? "" : String(stay.property_id),
    check_in_date: stay.check_in_date,
    check_out_date: stay.check_out_date,
    ...(unassigned.length === 0 || formerTarget === undefined
      ? {}
      : { returns: unassigned.map(({ stay_code }) => stay_code).join(" "), returns_to: String(formerTarget) })
  }
})

const redirectAfterMove = (
  visit: SignedInVisit,
  text: string,
  stay: MovedStay,
  { unassigned = [], target }: { readonly unassigned?: OfferedProperty["stays"]; readonly target?: number } = {}
): ActionRedirect =>
  redirectWithNotice(visit, {
    text,
    // Further stays are not known here, so an undo could not return them.
    ...(unassigned.length > CONFLICTING_STAYS_MAX ? {} : { undo: toUndo(stay, unassigned, target) })
  })

/** Returns why the dates cannot change, which no confirmation can overrule. */
const findDateProblem = (stay: MovedStay, target: OfferedProperty): ActionError | undefined => {
  const channel = channelName(stay.channel_type)
  if (stay.channel_type !== "direct")
    return makeActionError(422, `Change the dates of ${channel} reservations on ${channel}. They follow here.`)
  return target.stays.length === 0 || stay.status !== "accepted"
    ? undefined
    : makeActionError(409, `${target.title} is not free on these nights: ${describeStays(target.stays)}.`)
}

const hasSameDates = (stay: MovedStay, { checkIn, checkOut }: MoveRequest): boolean =>
  stay.check_in_date === checkIn && stay.check_out_date === checkOut

/** Returns stays that the reversed move had unassigned. */
const returnStays = (
  mutate: ReturnType<typeof makeVoidMutation>,
  visit: SignedInVisit,
  form: SubmittedForm
): Effect.Effect<void, ActionError> => {
  const codes = (form.get("returns") ?? "").split(" ").filter((code) => code !== "")
  const property_id = parseRecordId(form.get("returns_to"))
  return property_id === undefined
    ? Effect.void
    : Effect.forEach(
        codes.slice(0, CONFLICTING_STAYS_MAX),
        (stay_code) => mutate(visit, form, "allocate_stay", { stay_code, property_id }),
        { discard: true }
      )
}

export const makeMoveActions = (service: Service["Service"], stayMoves: StayMoves["Service"]) => {
  const mutate = makeVoidMutation(service)

  const unassign = (visit: SignedInVisit, form: SubmittedForm, stay: MovedStay) =>
    Effect.as(
      mutate(visit, form, "move_stay_to_box", { stay_code: stay.stay_code }),
      redirectAfterMove(visit, `Unassigned ${guestLabel(stay)}.`, stay)
    )

  const changeDates = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    stay: MovedStay,
    { checkIn, checkOut, target }: MoveRequest & { readonly target: OfferedProperty }
  ) {
    const problem = findDateProblem(stay, target)
    if (problem !== undefined) return yield* Effect.fail(problem)
    const dates = { check_in_date: checkIn, check_out_date: checkOut }
    yield* mutate(visit, form, "update_reservation_basic", { stay_code: stay.stay_code, ...dates })
    return redirectAfterMove(visit, `Moved ${guestLabel(stay)} to ${formatDayRange(checkIn, checkOut)}.`, stay)
  })

  const allocate = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    form: SubmittedForm,
    stay: MovedStay,
    target: OfferedProperty
  ) {
    if (needsConfirmation(stay, target) && form.get("confirmed") !== fingerprintConflicts(target))
      return { _tag: "Told" as const, html: confirmationOf(visit, stay, target, MOVE_ACTION) }
    yield* mutate(visit, form, "allocate_stay", { stay_code: stay.stay_code, property_id: target.id })
    const unassigned = stay.status === "accepted" ? target.stays : []
    return redirectAfterMove(visit, `Moved ${guestLabel(stay)} to ${target.title}.`, stay, {
      unassigned,
      target: target.id
    })
  })

  const moveStay: HostAction = {
    doneMessage: "Moved.",
    run: (visit, form) =>
      Effect.gen(function* () {
        const request = readMove(form)
        if (request === undefined) return yield* Effect.fail(invalidMoveError)
        const stay = yield* stayMoves.of(request.stayCode, { ...request, propertyId: request.propertyId ?? 0 })
        if (stay === undefined) return yield* Effect.fail(noSuchStayError)
        const moved = yield* moveTo(visit, form, stay, request)
        if (moved._tag === "GoOn") yield* returnStays(mutate, visit, form)
        return moved
      })
  }

  const moveTo = (visit: SignedInVisit, form: SubmittedForm, stay: MovedStay, request: MoveRequest) => {
    if (request.propertyId === undefined) return unassign(visit, form, stay)
    const { target } = stay
    if (target === null) return Effect.fail(noSuchPropertyError)
    return stay.property_id !== target.id || hasSameDates(stay, request)
      ? allocate(visit, form, stay, target)
      : changeDates(visit, form, stay, { ...request, target })
  }

  return { [MOVE_ACTION]: moveStay }
}
