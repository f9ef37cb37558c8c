import { Context, DateTime, Effect, Layer } from "effect"
import type { CurrentActor } from "../../../contract/actor.ts"
import { type NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { stayNotFoundError } from "../stays/rules.ts"
import type { GuestPortalStay } from "./guest-portal-stay.ts"
import { isGuestPortalVisible, listMissingDocuments } from "./rules.ts"
import { CheckInStore } from "./store.ts"

/** Records that the host approved the identity documents of a stay with `id_required` `required_with_review`. */
export class CheckInApproval extends Context.Service<
  CheckInApproval,
  {
    /** Idempotent: a second approval returns the time of the first. */
    readonly approve: (
      operatorId: number,
      stayCode: string
    ) => Effect.Effect<{ readonly approved_at: Date }, NotFound | ValidationFailed, CurrentActor>
  }
>()("latchkey/domain/bookings/check-in/CheckInApproval") {
  static readonly layer = Layer.effect(
    CheckInApproval,
    Effect.map(CheckInStore, (store) => CheckInApproval.of({ approve: approve(store) }))
  ).pipe(Layer.provide(CheckInStore.layer))
}

const approve = (store: CheckInStore["Service"]) =>
  Effect.fnUntraced(function* (operatorId: number, stayCode: string) {
    const [stay] = yield* store.findByCode({ operatorId, stayCode, limit: 1 })
    if (stay === undefined) return yield* stayNotFoundError
    const error = findApprovalError(stay, yield* DateTime.nowAsDate)
    if (error !== undefined) return yield* error
    const approval = yield* store.approve(operatorId, stayCode, yield* currentSecond)
    if (approval === undefined) return yield* stayNotFoundError
    return approval.approved_at === null ? yield* toNoReviewRequiredError(stay) : { approved_at: approval.approved_at }
  }, withChildSpan("CheckInApproval.approve"))

const findApprovalError = (stay: GuestPortalStay, now: Date): ValidationFailed | undefined => {
  if (stay.check_in_approved_at !== null) return undefined
  if (!isGuestPortalVisible(stay, now)) return new ValidationFailed({ message: "stay_code: its order has ended." })
  if (stay.id_required !== "required_with_review") return toNoReviewRequiredError(stay)
  const missing = listMissingDocuments(stay).reduce((sum, { count }) => sum + count, 0)
  return missing === 0
    ? undefined
    : new ValidationFailed({
        message: `stay_code: ${missing} ${missing === 1 ? "guest has" : "guests have"} not handed in an identity document.`
      })
}

const toNoReviewRequiredError = ({ id_required }: GuestPortalStay) =>
  new ValidationFailed({ message: `stay_code: needs no approval; its id_required is ${id_required}.` })
