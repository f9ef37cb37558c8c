import type { ActionError } from "../../action-outcome.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import { fingerprint } from "../api-operations.ts"
import { describeStays } from "../conflict-text.ts"
import { makeActionError } from "../host-page.ts"

// A move unassigns the stays that hold the same nights in the target property. It fails if the form did not show these
// stays.

/** Returns `<property id>:<digest of its stays>` for each property with conflicts. */
export const formatConflicts = (properties: ReadonlyArray<OfferedProperty>): string =>
  properties.flatMap((property) => (property.stays.length === 0 ? [] : [formatConflict(property)])).join(" ")

const formatConflict = ({ id, stays }: OfferedProperty): string =>
  `${id}:${fingerprint(stays.map(({ stay_code }) => stay_code).join(" "))}`

export const findNewConflict = (property: OfferedProperty, shownConflicts: string): ActionError | undefined =>
  property.stays.length === 0 || shownConflicts.split(" ").includes(formatConflict(property))
    ? undefined
    : makeActionError(
        409,
        `property_id: ${property.title} is not free on these nights any more: ${describeStays(property.stays)}. Nothing was changed. Move again to unassign them.`
      )
