import { type Html, html, nothing } from "../../../docs/html.ts"
import { badge, formatDayRange, pluralize } from "../page-parts.ts"

interface StatusLabel {
  readonly label: string
  readonly kind?: "good" | "bad" | "wait"
}

const statusBadge = (labels: Readonly<Record<string, StatusLabel>>, state: string): Html => {
  const { label, kind } = labels[state] ?? { label: state }
  return badge(label, kind)
}

const ACCOUNT_LABELS: Readonly<Record<string, StatusLabel>> = {
  active: { label: "Connected", kind: "good" },
  connecting: { label: "Connecting", kind: "wait" },
  disconnected: { label: "Disconnected", kind: "bad" },
  exception: { label: "Connection problem", kind: "bad" }
}

export const accountBadge = (authStatus: string): Html => statusBadge(ACCOUNT_LABELS, authStatus)

const SHELF_LABELS: Readonly<Record<string, StatusLabel>> = {
  on: { label: "On sale", kind: "good" },
  off: { label: "Not on sale", kind: "wait" },
  deleted: { label: "Deleted on the channel" },
  unknown: { label: "Unknown" }
}

export const shelfBadge = (shelfStatus: string): Html => statusBadge(SHELF_LABELS, shelfStatus)

const PUSH_LABELS: Readonly<Record<string, StatusLabel>> = {
  waiting: { label: "Sending", kind: "wait" },
  pushed: { label: "Synced", kind: "good" },
  refused: { label: "Rejected", kind: "bad" },
  dead: { label: "Failed", kind: "bad" }
}

export const pushBadge = (state: string): Html => statusBadge(PUSH_LABELS, state)

const PUSH_KIND_LABELS: Readonly<Record<string, string>> = {
  prices: "Prices",
  inventories: "Available units",
  restrictions: "Restrictions",
  availability: "Availability"
}

export const pushKindLabel = (kind: string): string => PUSH_KIND_LABELS[kind] ?? kind

export const dateRangeText = ({
  first,
  last
}: {
  readonly first: string | null
  readonly last: string | null
}): string => (first === null || last === null ? "" : formatDayRange(first, last))

export const failureReason = ({
  reason,
  attempts
}: {
  readonly reason: string | null
  readonly attempts: number
}): Html =>
  html`<span class="name">${reason ?? ""}</span>${attempts > 1 ? html` <span class="soft">${pluralize(attempts, "attempt")}</span>` : nothing}`

/** Tells what a host does about a failed update. */
export const failureCure = ({ kind, state }: { readonly kind: string; readonly state: string }): string => {
  if (state === "dead") return "The channel did not answer for a day. Open the listing and save the values again."
  if (state !== "refused") return ""
  return kind === "availability"
    ? "The channel rejected the availability. Check the listing on the channel."
    : "The channel rejected the values. Open the listing, correct them and save again."
}

const PERCENT = 100

/** Formats 115 percent of the base price as `+15 %`. */
export const formatMarkup = (ratio: number): string => {
  const difference = ratio - PERCENT
  if (difference === 0) return "0 %"
  return difference > 0 ? `+${difference} %` : `−${-difference} %`
}

export const markupText = ({ ratio, readonly }: { readonly ratio: number; readonly readonly: boolean }): string =>
  readonly ? "Set on the channel" : formatMarkup(ratio)

export const mappingText = ({
  link_type,
  link_title
}: {
  readonly link_type: string | null
  readonly link_title: string | null
}): string | undefined => {
  if (link_type === null) return undefined
  return link_type === "room_type" ? `Room type ${link_title ?? ""}` : (link_title ?? "")
}
