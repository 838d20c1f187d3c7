/** A page that looks for the API of SCORM 1.2 as content does, and begins. Tests call its `api`. */
export const SCO = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Content</title>
<h1>Content</h1><p><output></output></p>
<script>
let api
for (let one = window; !(api = one.API ?? one.API_1484_11) && one !== one.parent; one = one.parent);
const output = document.querySelector('output')
const begun = (api?.LMSInitialize ?? api?.Initialize)?.('')
output.textContent = begun === 'true' ? 'open ' + location.search : 'no API'
</script></html>`
