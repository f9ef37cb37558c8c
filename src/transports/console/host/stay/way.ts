import type { Refused } from "../../outcome.ts"
import type { OfferedProperty } from "../../queries/in-the-way.ts"
import { markOf } from "../asking.ts"
import { refusal } from "../page.ts"
import { namesOf } from "./words.ts"

// A stay that is moved puts into the box who holds one of its nights there. So the form says whom it has shown to be in the way, and
// nobody else is moved by it: of a window that was opened before somebody came, nothing is done.

/** What is in the way, property by property: `12:mark`. Of a property that is not named nothing was. */
export const wayShown = (properties: ReadonlyArray<OfferedProperty>): string =>
  properties.flatMap((property) => (property.stays.length === 0 ? [] : [wayOf(property)])).join(" ")

const wayOf = ({ id, stays }: OfferedProperty): string =>
  `${id}:${markOf(stays.map(({ stay_code }) => stay_code).join(" "))}`

/** Why a stay is not moved into a property as it is now; undefined: whoever is in the way there was shown to be. */
export const overtakenAt = (property: OfferedProperty, shown: string): Refused | undefined =>
  property.stays.length === 0 || shown.split(" ").includes(wayOf(property))
    ? undefined
    : refusal(
        409,
        `${property.title} is taken by ${namesOf(property.stays)} by now. Nothing was changed; look again, and move it if it shall be so.`
      )
