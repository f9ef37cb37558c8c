import { dateInZone, formatWallClock, toInstant } from "../../../contract/time.ts"
import { IDENTITY_IMAGES_A_GUEST } from "../../../platform/limits.ts"
import { hasOrderEnded, isOrderExpired } from "../orders/order.ts"
import type { GuestPortalStay } from "./guest-portal-stay.ts"

export const isGuestPortalVisible = (stay: Pick<GuestPortalStay, "status" | "expires_at">, now: Date): boolean =>
  !hasOrderEnded(stay) && !isOrderExpired(stay, now)

/** A stay ends with its check-out day in the operator's time zone. */
export const hasStayEnded = ({ check_out_date, time_zone }: StayDatesInZone, now: Date): boolean =>
  dateInZone(now, time_zone) > check_out_date

type StayDatesInZone = Pick<GuestPortalStay, "check_in_date" | "check_out_date" | "time_zone">

export const isStayEditable = (stay: Pick<GuestPortalStay, "status"> & StayDatesInZone, now: Date): boolean =>
  stay.status === "accepted" && !hasStayEnded(stay, now)

export const toDoorCodeStartTime = ({
  lock_code_visible_after
}: Pick<GuestPortalStay, "lock_code_visible_after">): string => lock_code_visible_after ?? "00:00"

export const isDoorCodeTime = (
  stay: StayDatesInZone & Pick<GuestPortalStay, "lock_code_visible_after">,
  now: Date
): boolean => {
  const { check_in_date, time_zone } = stay
  const openingTime = `${check_in_date} ${toDoorCodeStartTime(stay)}:00`
  // When clocks go back, the local time alone would hide the code again. When clocks skip `openingTime`, the instant
  // alone would show the code late.
  const hasOpened = formatWallClock(now, time_zone) >= openingTime || now >= toInstant(openingTime, time_zone)
  return hasOpened && !hasStayEnded(stay, now)
}

interface MissingDocument {
  readonly guestId: number | null
  readonly name: string | null
  readonly count: number
}

type StayGuests = Pick<GuestPortalStay, "guests" | "number_of_guests">

/** Infants are not part of `number_of_guests` and need no documents. */
export const countUnnamedGuests = ({ guests, number_of_guests }: StayGuests): number =>
  Math.max(number_of_guests - guests.length, 0)

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

export const hasGuest = (stay: StayGuests, guestId: number | null): boolean =>
  guestId === null ? countUnnamedGuests(stay) > 0 : stay.guests.some(({ id }) => id === guestId)

/** With a null `guestId`, checks the limit of all guests not listed by name together. */
export const hasReachedImageLimit = (
  stay: StayGuests & Pick<GuestPortalStay, "other_images">,
  guestId: number | null
): boolean => {
  if (guestId === null) return stay.other_images >= IDENTITY_IMAGES_A_GUEST * countUnnamedGuests(stay)
  return stay.guests.some(({ id, images }) => id === guestId && images >= IDENTITY_IMAGES_A_GUEST)
}

const countRemainingImages = (people: number, images: number): number =>
  Math.max(IDENTITY_IMAGES_A_GUEST * people - images, 0)

/**
 * Returns the largest number of images that the stay may ever receive. Images of people who are no longer guests raise
 * it, so that every present guest can upload.
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

export const findDoorCodeBlocker = (
  stay: StayGuests & Pick<GuestPortalStay, "id_required" | "other_images" | "check_in_approved_at">
): "images" | "approval" | undefined => {
  if (listMissingDocuments(stay).length > 0) return "images"
  return stay.id_required === "required_with_review" && stay.check_in_approved_at === null ? "approval" : undefined
}

export const findVisibleDoorCode = (stay: GuestPortalStay, now: Date): string | undefined =>
  stay.lock_code !== null &&
  stay.status === "accepted" &&
  isDoorCodeTime(stay, now) &&
  findDoorCodeBlocker(stay) === undefined
    ? stay.lock_code
    : undefined
