/** Returns the field an error message begins with: the text before its first colon, or "" if the message names no field. */
export const fieldOfError = ({ error_msg }: { readonly error_msg: string }): string => {
  const colon = error_msg.indexOf(":")
  return colon === -1 ? "" : error_msg.slice(0, colon)
}
