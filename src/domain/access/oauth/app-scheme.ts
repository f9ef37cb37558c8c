// Schemes that programs of a device have for themselves (RFC 8252 7.1). That asks for a domain in reverse, which has a dot;
// MCP clients in use have names without one (`cursor:`, `vscode:`). So a name without a dot is taken too, unless a browser
// or the system itself does something with it: whoever registers such a one would have it done with a code, or with a host's
// click. Worst are those by which browsers open what follows as a web address (`x-safari-https:`, `googlechromes:`): the code
// would be at any site, and consent would have spoken of an app on the device.

const BROWSER_SCHEMES = [
  "http https ws wss ftp ftps sftp file filesystem blob data javascript vbscript livescript mocha jar about",
  "chrome chrome-extension chrome-search chrome-untrusted devtools edge brave opera vivaldi moz-extension moz-icon resource",
  "safari-extension safari-web-extension view-source webkit wyciwyg feed webcal cid mid urn",
  "x-web-search icabmobile ddgquicklink duckduckgo dolphin ecosia puffin"
]

const SYSTEM_SCHEMES = [
  "mailto tel telprompt callto sms smsto mms mmsto sip sips geo maps facetime facetime-audio xmpp irc ircs magnet",
  "intent content android-app android-resource market package prefs app-prefs app-settings itms itmss itms-apps itms-appss",
  "itms-services macappstore macappstores shortcuts applescript help shell search search-ms ldap ldaps ssh telnet rlogin",
  "tn3270 gopher news nntp nfs smb afp cifs dav davs svn git rtsp rtmp mms vnc rdp res mk hcp mhtml its ms-its dns dict",
  "bitcoin lightning ethereum openid openid4vp steam"
]

const RESERVED_SCHEMES = new Set([...BROWSER_SCHEMES, ...SYSTEM_SCHEMES].flatMap((each) => each.split(" ")))

/** Families of them: Microsoft's (`ms-settings`), and those any web site may take for itself (HTML, `web+`). */
const RESERVED_SCHEME_PREFIX = /^(?:ms-|microsoft|web\+|x-apple|x-man-page|view-|chrome|moz-)/

/** Of the web, or of a browser, whatever stands before and after (`microsoft-edge-https`, `firefox-focus`): new ones come. */
const BROWSER_NAME = /http|chrome|safari|firefox|opera|edge|browser/

/** Whether a scheme, in small letters, can be the own one of a program. */
export const isAppScheme = (scheme: string): boolean =>
  /^[a-z0-9+-]+(?:\.[a-z0-9+-]+)+$/.test(scheme) ||
  (/^[a-z][a-z0-9+-]+$/.test(scheme) &&
    !RESERVED_SCHEMES.has(scheme) &&
    !RESERVED_SCHEME_PREFIX.test(scheme) &&
    !BROWSER_NAME.test(scheme))
