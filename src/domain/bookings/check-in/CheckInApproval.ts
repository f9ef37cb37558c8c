import { Context, DateTime, Effect, Layer } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import { BadRequest, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import type { GuestPortalStay } from "./guest-portal-stay.ts"
import { isGuestPortalVisible, listMissingDocuments } from "./rules.ts"
import { CheckInStore } from "./store.ts"

/** A stay that somebody names, by its code and, where several operators have one, whose it is. */
export interface StayReference {
  readonly stayCode: string
  readonly operatorId: number | undefined
}

export interface ApprovedCheckIn {
  readonly stay_code: string
  readonly approved_at: Date
}

/** What a host says once the images of identity documents of a stay were looked at (`required_with_review`). */
export class CheckInApproval extends Context.Service<
  CheckInApproval,
  {
    /** Approves, once: whoever does so again is answered since when it is. */
    readonly approve: (
      reference: StayReference
    ) => Effect.Effect<ApprovedCheckIn, BadRequest | NotFound | ValidationFailed, CurrentActor>
  }
>()("latchkey/domain/bookings/check-in/CheckInApproval") {
  static readonly layer = Layer.effect(
    CheckInApproval,
    Effect.map(CheckInStore, (store) => CheckInApproval.of({ approve: approve(store) }))
  ).pipe(Layer.provide(CheckInStore.layer))
}

/** Stays of one code that are looked at to say why it is not one's alone. */
const MAX_AMBIGUOUS_STAYS = 20

const approve = (store: CheckInStore["Service"]) =>
  Effect.fnUntraced(function* (reference: StayReference) {
    const [stay, ...others] = yield* store.findByCode({ ...reference, limit: MAX_AMBIGUOUS_STAYS })
    if (stay === undefined) return yield* noSuchStay(reference)
    if (others.length > 0) return yield* ambiguousStayCode(reference, [stay, ...others])
    const error = findApprovalError(stay, yield* DateTime.nowAsDate)
    if (error !== undefined) return yield* error
    const approval = yield* store.approve(stay.operator_id, stay.stay_code, yield* currentSecond)
    if (approval === undefined) return yield* noSuchStay(reference)
    if (approval.approved_at === null) return yield* noReviewRequired(stay)
    return { stay_code: stay.stay_code, approved_at: approval.approved_at }
  }, withChildSpan("CheckInApproval.approve"))

/** Why there is nothing to approve. */
const findApprovalError = (stay: GuestPortalStay, now: Date): ValidationFailed | undefined => {
  if (stay.check_in_approved_at !== null) return undefined
  if (!isGuestPortalVisible(stay, now)) return new ValidationFailed({ message: "stay_code: its order has ended." })
  if (stay.id_required !== "required_with_review") return noReviewRequired(stay)
  const missing = listMissingDocuments(stay).reduce((sum, { count }) => sum + count, 0)
  return missing === 0
    ? undefined
    : new ValidationFailed({
        message: `stay_code: ${missing} ${missing === 1 ? "guest has" : "guests have"} not handed in an identity document.`
      })
}

const noReviewRequired = ({ id_required }: GuestPortalStay) =>
  new ValidationFailed({ message: `stay_code: needs no approval; its id_required is ${id_required}.` })

const noSuchStay = ({ stayCode, operatorId }: StayReference) =>
  new NotFound({
    message: `stay_code: no stay ${stayCode}${operatorId === undefined ? "" : ` of operator ${operatorId}`}.`
  })

const ambiguousStayCode = ({ stayCode }: StayReference, matches: ReadonlyArray<GuestPortalStay>) =>
  new BadRequest({
    message: `stay_code: several operators have a stay ${stayCode}; pass --operator (${matches.map(({ operator_id }) => operator_id).join(", ")}).`
  })
