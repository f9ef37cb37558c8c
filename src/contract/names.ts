import { Schema } from "effect"
import { Conflict } from "./errors.ts"
import { hasAtMostCharacters, MUST_NOT_BE_EMPTY } from "./fields.ts"

/** Control characters, line breaks among them, and halves of characters, which a database cannot keep. */
const isOneLine = (text: string): boolean => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

/**
 * A name a host gives to something: one line of 1 to `maxCharacters` characters (code points) that is not blank. Spaces around
 * it do not count and are not kept, so two names that look the same are the same: store {@link trimName}.
 */
export const nameUpTo = (maxCharacters: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        const name = trimName(text)
        return name === "" ? MUST_NOT_BE_EMPTY : hasAtMostCharacters(name, maxCharacters) && isOneLine(name)
      },
      {
        expected: `one line of at most ${maxCharacters} characters`,
        toJsonSchema: () => ({ minLength: 1, maxLength: maxCharacters })
      }
    )
  )

/** The name as it is kept. */
export const trimName = (text: string): string => text.trim()

/**
 * Returns the comparison key of a name: two names with the same key are equal. The key ignores case and the Unicode form. Only both
 * mappings together equate `\u00df` and `\u1e9e` with `SS`, and the three sigmas with each other.
 */
export const nameKeyOf = (name: string): string =>
  trimName(name).normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")

/** Returns the 409 for a name that another record of the same kind has. The resource looks up the id of that record. */
export const nameConflict = (field: string, kind: string): Conflict =>
  new Conflict({ message: `${field}: is already used by another ${kind}.`, existingId: null })
