import type { ActionError } from "../../action-outcome.ts"
import type { OfferedProperty } from "../../queries/property-conflicts.ts"
import { fingerprint } from "../api-operations.ts"
import { makeActionError } from "../host-page.ts"
import { guestNames } from "./stay-labels.ts"

// A stay that is moved puts into the box who holds one of its nights there. So the form says whom it has shown to be in the way, and
// nobody else is moved by it: of a window that was opened before somebody came, nothing is done.

/** What is in the way, property by property: `12:mark`. Of a property that is not named nothing was. */
export const formatConflicts = (properties: ReadonlyArray<OfferedProperty>): string =>
  properties.flatMap((property) => (property.stays.length === 0 ? [] : [formatConflict(property)])).join(" ")

const formatConflict = ({ id, stays }: OfferedProperty): string =>
  `${id}:${fingerprint(stays.map(({ stay_code }) => stay_code).join(" "))}`

/** Why a stay is not moved into a property as it is now; undefined: whoever is in the way there was shown to be. */
export const findNewConflict = (property: OfferedProperty, shownConflicts: string): ActionError | undefined =>
  property.stays.length === 0 || shownConflicts.split(" ").includes(formatConflict(property))
    ? undefined
    : makeActionError(
        409,
        `${property.title} is taken by ${guestNames(property.stays)} by now. Nothing was changed; look again, and move it if it shall be so.`
      )
