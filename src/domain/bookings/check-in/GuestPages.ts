import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Acting, byItself } from "../../../contract/acting.ts"
import { NotFound, type ServerError, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { IDENTITY_IMAGES_A_GUEST } from "../../../platform/limits.ts"
import { inSpan } from "../../../platform/telemetry/spans.ts"
import { imageUrl } from "../../guests/images/address.ts"
import { Images } from "../../guests/images/Images.ts"
import { clockText } from "../stays/rules.ts"
import type { ClockTime } from "../stays/stay.ts"
import { isToken } from "./address.ts"
import { ARRIVAL, NO_SUCH_GUEST, PHOTO } from "./labels.ts"
import type { OpenedStay } from "./opened-stay.ts"
import { hasEnough, imagesOf, isAmong, isOpen, isShown } from "./rules.ts"
import { CheckInStore } from "./store.ts"

/** An image of an identity document, and whose it is; null: of somebody who is no guest by name. */
export interface HandedImage {
  readonly guestId: number | null
  readonly jpeg: Uint8Array
}

/**
 * What guests see and tell of their stay, by its secret address. What they change is what hosts change: it tells the same
 * events, and the trail says `guest`.
 *
 * Takes no place: who shows a page does so in one of the operator whose guests they are.
 */
export class GuestPages extends Context.Service<
  GuestPages,
  {
    /** The stay a token opens; none when it is unknown, its order is over, or the account behind it is banned or closed. */
    readonly open: (token: string) => Effect.Effect<Option.Option<OpenedStay>>
    /** Says when the guest arrives; null: that is not known any more. */
    readonly tellArrival: (
      stay: OpenedStay,
      at: typeof ClockTime.Type | null
    ) => Effect.Effect<void, ValidationFailed | NotFound>
    /** Hands in an image of an identity document. */
    readonly handIn: (stay: OpenedStay, image: HandedImage) => Effect.Effect<void, ValidationFailed | ServerError>
  }
>()("latchkey/resources/GuestPages") {
  static readonly layer = Layer.effect(
    GuestPages,
    Effect.gen(function* () {
      const store = yield* CheckInStore
      const { wake } = yield* WakeUp
      // Whether it failed or its caller went away: it may have been committed.
      const waking = Effect.ensuring(wake)
      const handed = handIn(store, yield* Images, yield* PublicUrl)
      return GuestPages.of({
        open: open(store),
        tellArrival: (stay, at) => tellArrival(store)(stay, at).pipe(waking, byGuest("tell arrival time")),
        handIn: (stay, image) => handed(stay, image).pipe(waking, byGuest("hand in identity document"))
      })
    })
  ).pipe(Layer.provide(CheckInStore.layer))
}

type Store = CheckInStore["Service"]

const byGuest = (operation: string) => Effect.provideService(Acting, byItself("guest", operation))

const open = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const stay = isToken(token) ? yield* store.open(token) : undefined
    return stay !== undefined && isShown(stay, yield* DateTime.nowAsDate) ? Option.some(stay) : Option.none()
  }, inSpan("GuestPages.open"))

const tellArrival = (store: Store) =>
  Effect.fnUntraced(function* (stay: OpenedStay, at: typeof ClockTime.Type | null) {
    if (!isOpen(stay, yield* DateTime.nowAsDate)) return yield* nothingToTell
    const told = { ...UNCHANGED, arrival_at: clockText(at) }
    const { found } = yield* store.tellArrival(stay.operator_id, stay.stay_code, told, yield* currentSecond)
    return found ? undefined : yield* gone
  }, inSpan("GuestPages.tellArrival"))

const UNCHANGED = {
  lock_code: undefined,
  lock_code_visible_after: undefined,
  departure_at: undefined,
  deposit: undefined,
  id_required: undefined
}

const handIn = (store: Store, images: Images["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (stay: OpenedStay, { guestId, jpeg }: HandedImage) {
    const refusal = refusalOf(stay, guestId, yield* DateTime.nowAsDate)
    if (refusal !== undefined) return yield* refusal
    const operatorId = stay.operator_id
    const { id: imageId, token } = yield* images.put({ operatorId, kind: "identity", jpeg, field: PHOTO })
    const { handed } = yield* store.handIn({
      operatorId,
      stayId: stay.id,
      guestId,
      imageId,
      url: imageUrl(publicUrl, token),
      most: imagesOf(stay),
      at: yield* currentSecond
    })
    return handed ? undefined : yield* notTaken
  }, inSpan("GuestPages.handIn"))

/** Why an image is not even looked at. */
const refusalOf = (stay: OpenedStay, guestId: number | null, now: Date): ValidationFailed | undefined => {
  if (stay.id_required === "not_required" || !isOpen(stay, now)) return notAsked
  if (!isAmong(stay, guestId)) return noSuchGuest
  return hasEnough(stay, guestId) ? enough : undefined
}

const gone = new NotFound({ message: "The stay no longer exists." })
const nothingToTell = new ValidationFailed({ message: `${ARRIVAL}: the stay has ended, or is not confirmed yet.` })
const notAsked = new ValidationFailed({ message: `${PHOTO}: this page does not ask for a photo now.` })
const noSuchGuest = new ValidationFailed({ message: NO_SUCH_GUEST })
const enough = new ValidationFailed({
  message: `${PHOTO}: at most ${IDENTITY_IMAGES_A_GUEST} are accepted for a guest; ask your host if one is wrong.`
})
const notTaken = new ValidationFailed({ message: `${PHOTO}: can no longer be accepted; reload the page.` })
