import { Context, DateTime, Effect, Layer } from "effect"
import type { Acting } from "../../../contract/acting.ts"
import { BadRequest, NotFound, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import type { OpenedStay } from "./opened-stay.ts"
import { isShown, missingOf } from "./rules.ts"
import { CheckInStore } from "./store.ts"

/** A stay that somebody names, by its code and, where several operators have one, whose it is. */
export interface NamedStay {
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
      named: NamedStay
    ) => Effect.Effect<ApprovedCheckIn, BadRequest | NotFound | ValidationFailed, Acting>
  }
>()("latchkey/resources/CheckInApproval") {
  static readonly layer = Layer.effect(
    CheckInApproval,
    Effect.gen(function* () {
      const { wake } = yield* WakeUp
      const approved = approve(yield* CheckInStore)
      // Whether it failed or its caller went away: it may have been committed.
      return CheckInApproval.of({ approve: (named) => Effect.ensuring(approved(named), wake) })
    })
  ).pipe(Layer.provide(CheckInStore.layer))
}

/** Stays of one code that are looked at to say why it is not one's alone. */
const LOOKED_AT = 20

const approve = (store: CheckInStore["Service"]) =>
  Effect.fnUntraced(function* (named: NamedStay) {
    const [stay, ...others] = yield* store.named({ ...named, limit: LOOKED_AT })
    if (stay === undefined) return yield* noSuchStay(named)
    if (others.length > 0) return yield* ambiguous(named, [stay, ...others])
    const refusal = refusalOf(stay, yield* DateTime.nowAsDate)
    if (refusal !== undefined) return yield* refusal
    const approved = yield* store.approve(stay.operator_id, stay.stay_code, yield* currentSecond)
    if (approved === undefined) return yield* noSuchStay(named)
    if (approved.approved_at === null) return yield* noReview(stay)
    return { stay_code: stay.stay_code, approved_at: approved.approved_at }
  }, inSpan("CheckInApproval.approve"))

/** Why there is nothing to approve. */
const refusalOf = (stay: OpenedStay, now: Date): ValidationFailed | undefined => {
  if (stay.check_in_approved_at !== null) return undefined
  if (!isShown(stay, now)) return new ValidationFailed({ message: `The order of ${stay.stay_code} has ended.` })
  if (stay.id_required !== "required_with_review") return noReview(stay)
  const missing = missingOf(stay).reduce((sum, { count }) => sum + count, 0)
  return missing === 0
    ? undefined
    : new ValidationFailed({
        message: `Photos of identity documents of ${missing} ${missing === 1 ? "guest" : "guests"} of ${stay.stay_code} are missing; approve the check-in when they have arrived.`
      })
}

const noReview = ({ stay_code, id_required }: OpenedStay) =>
  new ValidationFailed({ message: `${stay_code} needs no approval: its id_required is ${id_required}.` })

const noSuchStay = ({ stayCode, operatorId }: NamedStay) =>
  new NotFound({
    message: `There is no stay ${stayCode}${operatorId === undefined ? "" : ` of operator ${operatorId}`}.`
  })

const ambiguous = ({ stayCode }: NamedStay, found: ReadonlyArray<OpenedStay>) =>
  new BadRequest({
    message: `Several operators have a stay ${stayCode}; pass --operator (${found.map(({ operator_id }) => operator_id).join(", ")}).`
  })
