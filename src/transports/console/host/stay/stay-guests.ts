import { listMissingDocuments } from "../../../../domain/bookings/check-in/rules.ts"
import type { Reservation } from "../../../../domain/bookings/reservations/reservation.ts"
import { IMAGE_EXTENSION, IMAGES_PATH_PREFIX, isImageToken } from "../../../../domain/guests/images/image-url.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import { actionForm } from "../form-fields.ts"
import { badge, pluralize, section, timeHtml, toWords } from "../page-parts.ts"
import type { StayView } from "./stay-view.ts"

export const guestsSection = (view: StayView): Html => {
  const { stay } = view
  return section("Guests", html`${guestList(stay.guests)}${photosSection(view)}${checkInApproval(view)}`, "guests")
}

const guestList = (guests: Reservation["guests"]): Html =>
  guests.length === 0
    ? html`<p class="soft">No guest names yet. Guests enter them in the guest portal.</p>
`
    : html`<ul class="excerpts">${guests.map(
        (guest) =>
          html`<li>${guest.name}${guest.is_booker ? html` ${badge("Main guest")}` : nothing}<br><span class="soft">${guestDetails(guest)}</span></li>
`
      )}</ul>
`

const guestDetails = (guest: Reservation["guests"][number]): string =>
  [guest.phone, guest.email, documentText(guest), guest.country]
    .filter((text) => text !== null && text !== "")
    .join(" · ")

const documentText = ({ id_type, id_number }: Reservation["guests"][number]): string =>
  [id_type === null ? "" : toWords(id_type), id_number ?? ""].join(" ").trim()

interface DocumentPhoto {
  readonly url: string
  readonly guestName: string
}

/** Includes the order's photos that belong to no guest. */
const listPhotos = ({ stay }: StayView): ReadonlyArray<DocumentPhoto> => [
  ...stay.guests.flatMap(({ name, id_images }) => id_images.map(({ url }) => ({ url, guestName: name }))),
  ...stay.checkin_guide_images
    .filter(({ client_id }) => client_id === null)
    .map(({ url }) => ({ url, guestName: "a guest without a name" }))
]

/** Returns the path if the URL is an image of this service, under any host name. */
const toOwnPath = (url: string): string | undefined => {
  const path = URL.canParse(url) ? new URL(url).pathname : ""
  const isOwnImage = path.startsWith(IMAGES_PATH_PREFIX) && path.endsWith(IMAGE_EXTENSION)
  return isOwnImage && isImageToken(path.slice(IMAGES_PATH_PREFIX.length, -IMAGE_EXTENSION.length)) ? path : undefined
}

const photosSection = (view: StayView): Html => {
  const allPhotos = listPhotos(view)
  return allPhotos.length === 0
    ? nothing
    : html`<h3>Photos of ID documents</h3>
<ul class="papers">
${allPhotos.map(photoItem)}</ul>
`
}

const photoItem = ({ url, guestName }: DocumentPhoto, index: number): Html => {
  const path = toOwnPath(url)
  const photoHtml =
    path === undefined
      ? /^https?:\/\//.test(url)
        ? html`<a href="${url}" rel="noreferrer">Photo at the channel</a>`
        : html`Photo that cannot be shown`
      : html`<a href="${path}"><img src="${path}" alt="Photo ${index + 1}, of ${guestName}"></a>`
  return html`<li>${photoHtml}<br><span class="soft">${guestName}</span></li>
`
}

const listMissingPhotoNames = (view: StayView): ReadonlyArray<string> => {
  const { stay, context } = view
  const guestsWithPhotos = stay.guests.map(({ id, name, id_images }) => ({ id, name, images: id_images.length }))
  const { number_of_guests, check_in_details } = stay
  const { id_required } = check_in_details
  return listMissingDocuments({
    guests: guestsWithPhotos,
    number_of_guests,
    id_required,
    other_images: context.other_images
  }).map(({ name, count }) => name ?? pluralize(count, "guest without a name", "guests without a name"))
}

const checkInApproval = (view: StayView): Html => {
  const { visit, stay, context } = view
  const { id_required } = stay.check_in_details
  if (stay.status !== "accepted" || id_required === "not_required") return nothing
  const missingNames = listMissingPhotoNames(view)
  const missingNote =
    missingNames.length === 0
      ? nothing
      : html`<p>Missing photos of ID documents: ${missingNames.join(", ")}.</p>
`
  if (id_required === "required") return missingNote
  if (context.check_in_approved_at !== null) {
    return html`<p>${badge("ID check approved", "good")} ${timeHtml(context.check_in_approved_at, visit)}.</p>
`
  }
  return missingNames.length === 0 && listPhotos(view).length > 0
    ? actionForm(visit, {
        action: "approve_check_in",
        label: "Approve ID check",
        fields: html`<p>Check the photos first. Then the guests see the door code from its time on. You cannot undo this.</p>
`
      })
    : html`${missingNote}<p class="soft">You can approve the ID check when all photos are there.</p>
`
}
