import { randomAddressToken } from "../../../platform/random-text.ts"

/** The unguessable address is the only protection of an image. */
export const IMAGES_PATH_PREFIX = "/images/"

export const IMAGE_EXTENSION = ".jpg"

/** Telemetry redacts text after this prefix. */
export const newImageToken = (): string => `lkimage_${randomAddressToken()}`

const IMAGE_TOKEN_PATTERN = /^lkimage_[0-9a-z]{26}$/

export const isImageToken = (text: string): boolean => IMAGE_TOKEN_PATTERN.test(text)

export const toImageUrl = (publicUrl: string, token: string): string =>
  `${publicUrl}${IMAGES_PATH_PREFIX}${token}${IMAGE_EXTENSION}`
