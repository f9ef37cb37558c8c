import { CONFLICTING_STAYS_MAX, PROPERTIES_OFFERED_MAX } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { StaySearchStatus } from "../../queries/FoundStays.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import { channelName } from "../channel-names.ts"
import type { SelectOption } from "../form-fields.ts"
import { badge, formatDay } from "../page-parts.ts"

const STATUS_LABELS: Readonly<
  Record<StaySearchStatus, { readonly label: string; readonly kind?: "good" | "bad" | "wait" }>
> = {
  wait_accept: { label: "asks for your answer", kind: "wait" },
  wait_pay: { label: "waits for payment", kind: "wait" },
  accepted: { label: "accepted", kind: "good" },
  cancelled: { label: "cancelled", kind: "bad" },
  denied: { label: "turned down", kind: "bad" },
  timeout: { label: "ran out of time", kind: "bad" },
  check_in: { label: "check-in waits for approval", kind: "wait" }
}

export const RESERVATION_STATUS_OPTIONS: ReadonlyArray<SelectOption> = Object.entries(STATUS_LABELS).map(
  ([value, { label }]) => ({ value, label })
)

export const statusBadge = (status: StaySearchStatus): Html =>
  badge(STATUS_LABELS[status].label, STATUS_LABELS[status].kind)

const ARRIVAL_LABELS = {
  checkin_pending: "not marked as arrived",
  in_house: "arrived",
  stay_completed: "left"
} as const

export const arrivalLabel = (status: keyof typeof ARRIVAL_LABELS): string => ARRIVAL_LABELS[status]

export const bookingSourceLabel = (channelType: string): string =>
  channelType === "direct" ? "entered by hand" : channelName(channelType)

export const guestLabel = (stay: { readonly guest_name: string | null; readonly stay_code: string }): string =>
  stay.guest_name ?? stay.stay_code

const importedCalendarsText = ({ elsewhere }: OfferedProperty): string =>
  `busy in the calendar of ${elsewhere.join(", ")}`

export const guestNames = (stays: OfferedProperty["stays"]): string =>
  [
    ...stays.slice(0, CONFLICTING_STAYS_MAX).map(guestLabel),
    ...(stays.length > CONFLICTING_STAYS_MAX ? ["others"] : [])
  ].join(", ")

export const limitProperties = (properties: ReadonlyArray<OfferedProperty>) => ({
  properties: properties.slice(0, PROPERTIES_OFFERED_MAX),
  truncationNote:
    properties.length > PROPERTIES_OFFERED_MAX
      ? html`<p class="soft">Only the first ${PROPERTIES_OFFERED_MAX} properties can be chosen here.</p>
`
      : nothing
})

export const propertyOption = (
  property: OfferedProperty,
  toOccupiedText: (names: string) => string = (names) => `taken by ${names}`
): SelectOption => {
  const { id, title, deactivated, stays, closed, elsewhere } = property
  const reasons = [
    ...(deactivated ? ["turned off"] : []),
    ...(elsewhere.length > 0 ? [importedCalendarsText(property)] : []),
    ...(stays.length > 0 ? [toOccupiedText(guestNames(stays))] : []),
    ...(closed > 0 ? ["closed by you"] : [])
  ]
  return { value: id, label: reasons.length === 0 ? title : `${title} (${reasons.join("; ")})` }
}

export const findBlockers = (
  property: OfferedProperty
): { readonly blockers: ReadonlyArray<string>; readonly warnings: ReadonlyArray<string> } => ({
  blockers: [
    ...(property.deactivated ? [`${property.title} is turned off.`] : []),
    ...property.stays
      .slice(0, CONFLICTING_STAYS_MAX)
      .map(
        (stay) =>
          `${guestLabel(stay)} stays there from ${formatDay(stay.check_in_date)} to ${formatDay(stay.check_out_date)}.`
      ),
    ...(property.stays.length > CONFLICTING_STAYS_MAX ? ["Others stay there after them."] : []),
    ...(property.elsewhere.length > 0 ? [`It is ${importedCalendarsText(property)}.`] : [])
  ],
  warnings:
    property.closed === 0
      ? []
      : [
          `You closed ${property.closed === 1 ? "one of these nights" : `${property.closed} of these nights`}: a reservation by hand can be entered all the same.`
        ]
})
