/** Responses that are not a page, by their fault. A client must not take one for an empty page. */

const page = '{"items":[],"next":null}'

const bodies: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  nothing: "",
  "white space": " \n",
  null: "null",
  true: "true",
  "a number": "0",
  "a text": '"ok"',
  "an empty list": "[]",
  "a list of pages": `[${page}]`,
  "an empty object": "{}",
  "no items": '{"next":null}',
  "no items, but a cursor": '{"next":"cursor"}',
  "items under another name": '{"results":[],"next":null}',
  "items in another case": '{"Items":[],"next":null}',
  "a page in a page": '{"data":{"items":[],"next":null}}',
  "a page as a text": JSON.stringify(page),
  "an error of v4": '{"error":{"code":"INTERNAL","message":"failed"},"next":null}',
  "an error of v2": '{"message":"failed","code":"INTERNAL"}',
  "an error as text": '{"error":"failed"}',
  "a list of faults": '{"detail":[]}',
  "a list of errors": '{"errors":[{"message":"failed"}],"data":null}',
  "an empty page with an error": '{"items":[],"next":null,"error":{"code":"INTERNAL","message":"failed"}}',
  "an empty page with an error as text": '{"items":[],"next":null,"error":"failed"}',
  "an empty page with a refusal": '{"items":[],"next":null,"detail":"Not authenticated"}',
  "an empty page without success": '{"items":[],"next":null,"success":false}',
  "no items, and errors": '{"items":null,"next":null,"errors":[{"message":"failed"}]}',
  "a status": '{"status":"ok"}',
  "a job": '{"job_id":"7","state":"running"}',
  "items that are an object": '{"items":{},"next":null}',
  "items that are a text": '{"items":"","next":null}',
  "items that are a number": '{"items":0,"next":null}',
  "items that are false": '{"items":false,"next":null}',
  "a cursor that is a number": '{"items":[],"next":5}',
  "a cursor that is a truth value": '{"items":[],"next":true}',
  "a cursor that is an object": '{"items":[],"next":{}}',
  "a cursor that is a list": '{"items":[],"next":[]}',
  "an item that is null": '{"items":[null],"next":null}',
  "an item that is a number": '{"items":[1],"next":null}',
  "an item that is a text": '{"items":["a"],"next":null}',
  "an item that is a list": '{"items":[[]],"next":null}',
  "JSON cut off before the items": '{"items"',
  "JSON cut off in the items": '{"items":[',
  "JSON cut off after the items": '{"items":[]',
  "JSON cut off before the end": page.slice(0, -1),
  "JSON with more behind it": `${page}}`,
  "two pages": `${page}${page}`,
  "lines of JSON": `${page}\n${page}`,
  "JSON in quotes of JavaScript": "{'items':[],'next':null}",
  "JSON with a comma too many": '{"items":[],"next":null,}',
  "JSON in a call": `callback(${page})`,
  "JSON behind a guard": `)]}'\n${page}`,
  "events of a stream": `data: ${page}\n\n`,
  HTML: "<!doctype html><title>Sign in</title>",
  "HTML with a page in it": `<html><script>${page}</script></html>`,
  XML: '<?xml version="1.0"?><items/>',
  YAML: "items: []\nnext: null\n",
  "a word": "OK",
  undefined: "undefined",
  zeros: new Uint8Array(64),
  "compressed data": new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 171, 86, 202, 44, 73, 205])
}

const statuses = [201, 202, 203, 206, 207, 226]

export const wrongAnswers: ReadonlyArray<readonly [name: string, answer: () => Response]> = [
  ...Object.entries(bodies).map(
    ([name, body]) => [name, () => new Response(body, { headers: { "content-type": "application/json" } })] as const
  ),
  ...statuses.map((status) => [`an empty page with status ${status}`, () => new Response(page, { status })] as const),
  ...[204, 205].map((status) => [`no body with status ${status}`, () => new Response(null, { status })] as const)
]
