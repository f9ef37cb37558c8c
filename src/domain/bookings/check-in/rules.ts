import { dateInZone, formatWallClock, toInstant } from "../../../contract/time.ts"
import { IDENTITY_IMAGES_A_GUEST } from "../../../platform/limits.ts"
import { hasOrderEnded, isOrderExpired } from "../orders/order.ts"
import type { GuestPortalStay } from "./guest-portal-stay.ts"

// What a guest may see and do on the page of a stay, and when.

/** Whether there is anything to see: an order that has ended without a stay, or is about to by its time, shows nothing. */
export const isGuestPortalVisible = (stay: Pick<GuestPortalStay, "status" | "expires_at">, now: Date): boolean =>
  !hasOrderEnded(stay) && !isOrderExpired(stay, now)

/** Whether the stay is over: the day of check-out has ended where the property is. */
export const hasStayEnded = ({ check_out_date, time_zone }: StayDatesInZone, now: Date): boolean =>
  dateInZone(now, time_zone) > check_out_date

type StayDatesInZone = Pick<GuestPortalStay, "check_in_date" | "check_out_date" | "time_zone">

/** Whether guests can still tell something: of a stay that is agreed, to the end of the day of check-out. */
export const isStayEditable = (stay: Pick<GuestPortalStay, "status"> & StayDatesInZone, now: Date): boolean =>
  stay.status === "accepted" && !hasStayEnded(stay, now)

/** `HH:mm` of the day of check-in from which on a door code can be seen. */
export const toDoorCodeStartTime = ({
  lock_code_visible_after
}: Pick<GuestPortalStay, "lock_code_visible_after">): string => lock_code_visible_after ?? "00:00"

/**
 * Whether it is the time of a door code: from the first moment at which the clock of the property shows that time of the day of
 * check-in, or a later one, to the end of the day of check-out.
 */
export const isDoorCodeTime = (
  stay: StayDatesInZone & Pick<GuestPortalStay, "lock_code_visible_after">,
  now: Date
): boolean => {
  const { check_in_date, time_zone } = stay
  const openingTime = `${check_in_date} ${toDoorCodeStartTime(stay)}:00`
  // The clock alone would take back what it has shown once it is turned back, and the instant alone would be late where the
  // clock leaps over that time.
  const hasOpened = formatWallClock(now, time_zone) >= openingTime || now >= toInstant(openingTime, time_zone)
  return hasOpened && !hasStayEnded(stay, now)
}

/** Somebody of whom no image of an identity document has come in. */
interface MissingDocument {
  /** Null: somebody who is no guest by name. */
  readonly guestId: number | null
  readonly name: string | null
  /** How many such people; one by name is one. */
  readonly count: number
}

type StayGuests = Pick<GuestPortalStay, "guests" | "number_of_guests">

/** How many are no guests by name. Infants are not among the number of guests, and are not asked for documents. */
export const countUnnamedGuests = ({ guests, number_of_guests }: StayGuests): number =>
  Math.max(number_of_guests - guests.length, 0)

/** Who still has to hand in an image, if any is asked for. */
export const listMissingDocuments = (
  stay: StayGuests & Pick<GuestPortalStay, "id_required" | "other_images">
): ReadonlyArray<MissingDocument> => {
  if (stay.id_required === "not_required") return []
  const named = stay.guests
    .filter(({ images }) => images === 0)
    .map(({ id, name }): MissingDocument => ({ guestId: id, name, count: 1 }))
  const others = countUnnamedGuests(stay) - stay.other_images
  return others > 0 ? [...named, { guestId: null, name: null, count: others }] : named
}

/** Whether there is such a guest, null: anybody who is no guest by name. */
export const hasGuest = (stay: StayGuests, guestId: number | null): boolean =>
  guestId === null ? countUnnamedGuests(stay) > 0 : stay.guests.some(({ id }) => id === guestId)

/** Whether of somebody, null: of those who are no guests by name, as many images came in as are taken. */
export const hasReachedImageLimit = (
  stay: StayGuests & Pick<GuestPortalStay, "other_images">,
  guestId: number | null
): boolean => {
  if (guestId === null) return stay.other_images >= IDENTITY_IMAGES_A_GUEST * countUnnamedGuests(stay)
  return stay.guests.some(({ id, images }) => id === guestId && images >= IDENTITY_IMAGES_A_GUEST)
}

/** Images that are still taken of somebody of whom so many came in. */
const countRemainingImages = (people: number, images: number): number =>
  Math.max(IDENTITY_IMAGES_A_GUEST * people - images, 0)

/**
 * Images that may come in for a stay in all: so many for each of its guests, and always as many more as somebody still has to
 * hand in, where what came in was of people who are none of them any more.
 */
export const computeImageLimit = (
  stay: StayGuests & Pick<GuestPortalStay, "other_images" | "identity_image_count">
): number => {
  const unnamedGuests = countUnnamedGuests(stay)
  const remainingOfNamed = stay.guests.reduce((room, { images }) => room + countRemainingImages(1, images), 0)
  return Math.max(
    IDENTITY_IMAGES_A_GUEST * (stay.guests.length + unnamedGuests),
    stay.identity_image_count + remainingOfNamed + countRemainingImages(unnamedGuests, stay.other_images)
  )
}

/** What a door code waits for, beside its time; undefined: nothing. */
export const findDoorCodeBlocker = (
  stay: StayGuests & Pick<GuestPortalStay, "id_required" | "other_images" | "check_in_approved_at">
): "images" | "approval" | undefined => {
  if (listMissingDocuments(stay).length > 0) return "images"
  return stay.id_required === "required_with_review" && stay.check_in_approved_at === null ? "approval" : undefined
}

/** The door code, where it may be seen; undefined: there is none, it is not its time, or something is awaited. */
export const findVisibleDoorCode = (stay: GuestPortalStay, now: Date): string | undefined =>
  stay.lock_code !== null &&
  stay.status === "accepted" &&
  isDoorCodeTime(stay, now) &&
  findDoorCodeBlocker(stay) === undefined
    ? stay.lock_code
    : undefined
