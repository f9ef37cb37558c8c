import { Context, DateTime, Effect, Layer, Option } from "effect"
import { CurrentActor, systemActor } from "../../../contract/actor.ts"
import { NotFound, type ServerError, ValidationFailed } from "../../../contract/errors.ts"
import { currentSecond } from "../../../contract/time.ts"
import { WakeUp } from "../../../jobs/WakeUp.ts"
import { PublicUrl } from "../../../platform/installation.ts"
import { IDENTITY_IMAGES_A_GUEST } from "../../../platform/limits.ts"
import { withChildSpan } from "../../../platform/telemetry/spans.ts"
import { Images } from "../../guests/images/Images.ts"
import { toImageUrl } from "../../guests/images/image-url.ts"
import { toClockText } from "../stays/rules.ts"
import type { ClockTime } from "../stays/stay.ts"
import { ARRIVAL_LABEL, NO_SUCH_GUEST_MESSAGE, PHOTO_LABEL } from "./guest-portal-labels.ts"
import type { GuestPortalStay } from "./guest-portal-stay.ts"
import { isGuestPortalToken } from "./guest-portal-url.ts"
import { computeImageLimit, hasGuest, hasReachedImageLimit, isGuestPortalVisible, isStayEditable } from "./rules.ts"
import { CheckInStore } from "./store.ts"

/** `guestId` is null for a guest who is not listed by name. */
export interface IdentityImageUpload {
  readonly guestId: number | null
  readonly jpeg: Uint8Array
}

/**
 * A change by a guest sends the same events as a change by the host. The audit log names `guest` as the actor.
 *
 * A caller that makes a change must hold a concurrency permit of the operator.
 */
export class GuestPortal extends Context.Service<
  GuestPortal,
  {
    /** Returns `none` for an unknown token, an ended order or an inactive operator. */
    readonly open: (token: string) => Effect.Effect<Option.Option<GuestPortalStay>>
    readonly setArrivalTime: (
      stay: GuestPortalStay,
      arrivalTime: typeof ClockTime.Type | null
    ) => Effect.Effect<void, ValidationFailed | NotFound>
    readonly submitIdentityImage: (
      stay: GuestPortalStay,
      image: IdentityImageUpload
    ) => Effect.Effect<void, ValidationFailed | ServerError>
  }
>()("latchkey/domain/bookings/check-in/GuestPortal") {
  static readonly layer = Layer.effect(
    GuestPortal,
    Effect.gen(function* () {
      const store = yield* CheckInStore
      const { wake } = yield* WakeUp
      // A failed or interrupted call may have committed its change, so the wake-up follows it too.
      const withWake = Effect.ensuring(wake)
      const submitImage = submitIdentityImage(store, yield* Images, yield* PublicUrl)
      return GuestPortal.of({
        open: open(store),
        setArrivalTime: (stay, arrivalTime) =>
          setArrivalTime(store)(stay, arrivalTime).pipe(withWake, withGuestActor("tell arrival time")),
        submitIdentityImage: (stay, image) =>
          submitImage(stay, image).pipe(withWake, withGuestActor("hand in identity document"))
      })
    })
  ).pipe(Layer.provide(CheckInStore.layer))
}

type Store = CheckInStore["Service"]

const withGuestActor = (operation: string) => Effect.provideService(CurrentActor, systemActor("guest", operation))

const open = (store: Store) =>
  Effect.fnUntraced(function* (token: string) {
    const stay = isGuestPortalToken(token) ? yield* store.findByToken(token) : undefined
    return stay !== undefined && isGuestPortalVisible(stay, yield* DateTime.nowAsDate)
      ? Option.some(stay)
      : Option.none()
  }, withChildSpan("GuestPages.open"))

const setArrivalTime = (store: Store) =>
  Effect.fnUntraced(function* (stay: GuestPortalStay, arrivalTime: typeof ClockTime.Type | null) {
    if (!isStayEditable(stay, yield* DateTime.nowAsDate)) return yield* stayNotEditableError
    const update = { ...UNCHANGED_CHECK_IN_DETAILS, arrival_at: toClockText(arrivalTime) }
    const { found } = yield* store.setArrivalTime(stay.operator_id, stay.stay_code, update, yield* currentSecond)
    return found ? undefined : yield* stayNoLongerExistsError
  }, withChildSpan("GuestPages.tellArrival"))

const UNCHANGED_CHECK_IN_DETAILS = {
  lock_code: undefined,
  lock_code_visible_after: undefined,
  departure_at: undefined,
  deposit: undefined,
  id_required: undefined
}

const submitIdentityImage = (store: Store, images: Images["Service"], publicUrl: string) =>
  Effect.fnUntraced(function* (stay: GuestPortalStay, { guestId, jpeg }: IdentityImageUpload) {
    const error = findUploadError(stay, guestId, yield* DateTime.nowAsDate)
    if (error !== undefined) return yield* error
    const operatorId = stay.operator_id
    const { id: imageId, token } = yield* images.put({ operatorId, kind: "identity", jpeg, field: PHOTO_LABEL })
    const { handed } = yield* store.submitIdentityImage({
      operatorId,
      stayId: stay.id,
      guestId,
      imageId,
      url: toImageUrl(publicUrl, token),
      maxImages: computeImageLimit(stay),
      at: yield* currentSecond
    })
    return handed ? undefined : yield* imageNoLongerAcceptedError
  }, withChildSpan("GuestPages.handIn"))

const findUploadError = (stay: GuestPortalStay, guestId: number | null, now: Date): ValidationFailed | undefined => {
  if (stay.id_required === "not_required" || !isStayEditable(stay, now)) return imageNotRequiredError
  if (!hasGuest(stay, guestId)) return guestNotFoundError
  return hasReachedImageLimit(stay, guestId) ? imageLimitError : undefined
}

const stayNoLongerExistsError = new NotFound({ message: "The stay no longer exists." })
const stayNotEditableError = new ValidationFailed({
  message: `${ARRIVAL_LABEL}: the stay has ended, or is not confirmed yet.`
})
const imageNotRequiredError = new ValidationFailed({
  message: `${PHOTO_LABEL}: this page does not ask for a photo now.`
})
const guestNotFoundError = new ValidationFailed({ message: NO_SUCH_GUEST_MESSAGE })
const imageLimitError = new ValidationFailed({
  message: `${PHOTO_LABEL}: at most ${IDENTITY_IMAGES_A_GUEST} are accepted for a guest; ask your host if one is wrong.`
})
const imageNoLongerAcceptedError = new ValidationFailed({
  message: `${PHOTO_LABEL}: can no longer be accepted; reload the page.`
})
