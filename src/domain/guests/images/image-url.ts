import { randomAddressToken } from "../../../platform/random-text.ts"

/** Where images are shown: an address nobody guesses is all it takes to see one. */
export const IMAGES_PATH_PREFIX = "/images/"

/** What the address of an image ends with. */
export const IMAGE_EXTENSION = ".jpg"

/** A new token. Its prefix lets telemetry recognise it wherever it lands. */
export const newImageToken = (): string => `lkimage_${randomAddressToken()}`

const IMAGE_TOKEN_PATTERN = /^lkimage_[0-9a-z]{26}$/

/** Whether the text can be a token at all; anything else needs no look into the database. */
export const isImageToken = (text: string): boolean => IMAGE_TOKEN_PATTERN.test(text)

/** The absolute address of an image under `publicUrl`. */
export const toImageUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${IMAGES_PATH_PREFIX}${token}${IMAGE_EXTENSION}`
