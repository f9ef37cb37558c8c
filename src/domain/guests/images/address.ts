import { unguessable } from "../../../platform/random-text.ts"

/** Where images are shown: an address nobody guesses is all it takes to see one. */
export const IMAGES_PREFIX = "/images/"

/** What the address of an image ends with. */
export const IMAGE_ENDING = ".jpg"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newToken = (): string => `lkimage_${unguessable()}`

const TOKEN = /^lkimage_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isToken = (text: string): boolean => TOKEN.test(text)

/** The absolute address of an image under `publicUrl`. */
export const imageUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${IMAGES_PREFIX}${token}${IMAGE_ENDING}`
