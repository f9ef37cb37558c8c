import type { OrderStatus } from "../../../../domain/bookings/orders/order.ts"
import type { StayStatus } from "../../../../domain/bookings/stays/stay.ts"
import { CONFLICTING_STAYS_MAX, PROPERTIES_OFFERED_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaySearchStatus } from "../../queries/FoundStays.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import { channelName } from "../channel-names.ts"
import { describeImportedCalendars, describeStays } from "../conflict-text.ts"
import type { SelectOption } from "../form-fields.ts"
import { badge } from "../page-parts.ts"

interface StatusLabel {
  readonly label: string
  readonly kind?: "good" | "bad" | "wait" | "info"
}

const STATUS_LABELS: Readonly<Record<StaySearchStatus, StatusLabel>> = {
  wait_accept: { label: "Request", kind: "wait" },
  wait_pay: { label: "Awaiting payment", kind: "wait" },
  accepted: { label: "Confirmed", kind: "info" },
  in_house: { label: "Checked in", kind: "good" },
  stay_completed: { label: "Checked out" },
  check_in: { label: "ID check pending", kind: "wait" },
  cancelled: { label: "Cancelled", kind: "bad" },
  denied: { label: "Declined", kind: "bad" },
  timeout: { label: "Expired", kind: "bad" }
}

export const RESERVATION_STATUS_OPTIONS: ReadonlyArray<SelectOption> = Object.entries(STATUS_LABELS).map(
  ([value, { label }]) => ({ value, label })
)

export const statusBadge = (status: StaySearchStatus): Html =>
  badge(STATUS_LABELS[status].label, STATUS_LABELS[status].kind)

interface StayState {
  readonly status: OrderStatus
  readonly stay_status: typeof StayStatus.Type
}

/** Whether the guest has checked in or out, or the status of the reservation. */
const toShownStatus = ({ status, stay_status }: StayState): StaySearchStatus =>
  status === "accepted" && stay_status !== "checkin_pending" ? stay_status : status

export const stayBadge = (stay: StayState): Html => statusBadge(toShownStatus(stay))

export const stayStatusLabel = (stay: StayState): string => STATUS_LABELS[toShownStatus(stay)].label

const ARRIVAL_LABELS = {
  checkin_pending: "Not checked in",
  in_house: "Checked in",
  stay_completed: "Checked out"
} as const

export const arrivalLabel = (status: keyof typeof ARRIVAL_LABELS): string => ARRIVAL_LABELS[status]

export const bookingSourceLabel = (channelType: string): string => channelName(channelType)

export const guestLabel = (stay: { readonly guest_name: string | null; readonly stay_code: string }): string =>
  stay.guest_name ?? stay.stay_code

export const guestNames = (stays: OfferedProperty["stays"]): string =>
  [
    ...stays.slice(0, CONFLICTING_STAYS_MAX).map(guestLabel),
    ...(stays.length > CONFLICTING_STAYS_MAX ? ["others"] : [])
  ].join(", ")

export const limitProperties = (properties: ReadonlyArray<OfferedProperty>) => ({
  properties: properties.slice(0, PROPERTIES_OFFERED_MAX),
  truncationNote:
    properties.length > PROPERTIES_OFFERED_MAX
      ? html`<p class="soft">Only the first ${PROPERTIES_OFFERED_MAX.toLocaleString("en")} properties can be chosen here.</p>
`
      : nothing
})

/** Names what is in the way of a property: inactive, iCal, guests with their dates, nights that the host blocked. */
export const propertyOption = (
  property: OfferedProperty,
  describeOccupied: (stays: OfferedProperty["stays"]) => string = describeStays
): SelectOption => {
  const { id, title, deactivated, stays, closed, elsewhere } = property
  const reasons = [
    ...(deactivated ? ["inactive"] : []),
    ...(elsewhere.length > 0 ? [describeImportedCalendars(elsewhere)] : []),
    ...(stays.length > 0 ? [describeOccupied(stays)] : []),
    ...(closed > 0 ? ["blocked"] : [])
  ]
  return { value: id, label: reasons.length === 0 ? title : `${title} (${reasons.join("; ")})` }
}
