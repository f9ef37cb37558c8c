import { Schema } from "effect"
import { Conflict } from "./errors.ts"
import { hasAtMostCharacters, MUST_NOT_BE_EMPTY } from "./fields.ts"

const isOneLine = (text: string): boolean => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)

/** Surrounding spaces do not count: store the result of {@link trimName}. */
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

export const trimName = (text: string): string => text.trim()

/**
 * Names with the same key are equal. Only both case mappings together equate `\u00df` and `\u1e9e` with `SS`, and the
 * three sigmas with each other.
 */
export const nameKeyOf = (name: string): string =>
  trimName(name).normalize("NFC").toLowerCase().toUpperCase().toLowerCase().normalize("NFC")

/** The code that looks up the other record sets `existingId` (domain/operator-rows.ts). */
export const nameConflict = (field: string, kind: string): Conflict =>
  new Conflict({ message: `${field}: is already used by another ${kind}.`, existingId: null })
