import { Schema } from "effect"

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)

/**
 * A name a host gives to something: one line of 1 to `most` characters (code points) that is not blank. Spaces around
 * it do not count and are not kept, so two names that look the same are the same: store {@link nameOf}.
 */
export const nameUpTo = (most: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        const name = nameOf(text)
        return name !== "" && Array.from(name).length <= most && !hasControlCharacter(name)
      },
      { expected: `one line of 1 to ${most} characters`, jsonSchema: { minLength: 1, maxLength: most } }
    )
  )

/** The name as it is kept. */
export const nameOf = (text: string): string => text.trim()
