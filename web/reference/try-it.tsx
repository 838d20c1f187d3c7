import { Alert, Anchor, Button, Group, Input, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { confirmSignIn } from '../api/fresh-sign-in.ts'
import { useHere } from '../api/here.ts'
import { Card } from '../parts/card.tsx'
import { Code } from '../parts/code.tsx'
import { ExternalLink, Square, TriangleAlert } from '../parts/icons.tsx'
import { TextLink } from '../parts/link.tsx'
import { Problem } from '../parts/states.tsx'
import { AnswerShown } from './answer.tsx'
import { holdIds, useHeld } from './credentials.ts'
import type { OperationEntry, Parameter, Samples } from './document.ts'
import classes from './reference.module.css'
import {
  type AuthMethod,
  answerExampleOf,
  bodyKindOf,
  chooseWay,
  clientIdIn,
  draftOf,
  findFaults,
  keyOf,
  learnIds,
  prepare,
  scopesFor,
  waysOf,
} from './request.ts'
import { type Outcome, release, send } from './send.ts'
import { SignedIn } from './signed-in.tsx'
import { LANGUAGES, type Language, writeSnippet } from './snippets.ts'
import { referenceWords } from './words.ts'

const { tryIt: say, operation, people } = referenceWords
const FRESH_SIGN_IN = 4016

interface TryItProps {
  readonly entry: OperationEntry
  /** The operation whose example has to be sent before this one. */
  readonly before: OperationEntry | undefined
  readonly samples: Samples
}

const isPage = ({ answers }: OperationEntry): boolean =>
  answers.some(({ status, answer }) => status === '200' && Object.keys(answer.content ?? {}).join() === 'text/html')

let language: Language = 'curl'

/** Says who should send the example, if that is not the person who is signed in, and in which environment it works. */
function Sender({ entry, way }: { readonly entry: OperationEntry; readonly way: AuthMethod }) {
  const here = useHere()
  const { session } = useHeld()
  const { as, clientId, environment = here.environment } = entry.example
  const sender = here.demoPeople.find(({ handle }) => handle === as)
  const isSent = way === 'bearer' ? session?.handle : here.person?.handle
  const isOther = sender !== undefined && (way === 'bearer' || way === 'browser') && isSent !== as
  const client = clientId === undefined ? undefined : clientIdIn(here, clientId)
  const isElsewhere = client !== undefined && here.demoPeople.length > 0 && session?.clientId !== client
  return (
    <>
      {environment !== here.environment && (
        <Text size="sm">
          {say.onlyIn}{' '}
          <Anchor inherit underline="always" href={`${here[environment]}/docs/${entry.id}`}>
            {say.openThere}
          </Anchor>
        </Text>
      )}
      {isOther && <Text size="sm">{say.sender(sender.name, people[sender.part])}</Text>}
      {isElsewhere && <Text size="sm">{say.client(client)}</Text>}
    </>
  )
}

/**
 * A form filled with the example, the response, and the request as code. Nothing is sent until the person presses Send.
 */
export function TryIt({ entry, before, samples }: TryItProps) {
  const here = useHere()
  const held = useHeld()
  const ways = waysOf(entry)
  const [chosen, setChosen] = useState<AuthMethod>()
  const way = chosen ?? chooseWay(entry, held, here)
  const [draft, setDraft] = useState(() => draftOf(entry, samples, here, { ...held.ids, ...held.session?.userIds }))
  const [faults, setFaults] = useState<ReturnType<typeof findFaults>>({ missing: [] })
  const [outcome, setOutcome] = useState<Outcome>()
  const [problem, setProblem] = useState<Error>()
  const [abort, setAbort] = useState<AbortController>()
  const [shown, setShown] = useState(language)
  const kind = bodyKindOf(entry)
  const isOpenable = isPage(entry)
  const isParameter = (field: string) =>
    entry.parameters.some(({ name, in: place }) => name === field && (kind === 'none' || place === 'path'))
  const bodyHints = Object.entries(entry.example.fill ?? {}).flatMap(([field, hint]) =>
    isParameter(field) ? [] : [say.fill(field, hint)],
  )

  // When the person leaves the page, abort the request and revoke the object URL of the response.
  const left = useRef<{ abort: AbortController | undefined; outcome: Outcome | undefined }>({ abort, outcome })
  left.current = { abort, outcome }
  useEffect(
    () => () => {
      left.current.abort?.abort()
      release(left.current.outcome)
    },
    [],
  )

  const run = async () => {
    const found = findFaults(entry, draft)
    setFaults(found)
    const hasNoFile = kind === 'file' && draft.file === undefined
    if (found.missing.length > 0 || found.body !== undefined || hasNoFile) return
    const request = prepare(entry, draft)
    if (isOpenable) {
      open(request.path, '_blank', 'noopener')
      return
    }
    const controller = new AbortController()
    release(outcome)
    setOutcome(undefined)
    setProblem(undefined)
    setAbort(controller)
    try {
      await send(request, { way, held, signal: controller.signal }, (came) => {
        setOutcome(came)
        if (came.status < 300) holdIds(learnIds(answerExampleOf(entry, came.status), came.json))
      })
    } catch {
      if (!controller.signal.aborted) setProblem(new Error(say.failed))
    } finally {
      setAbort(undefined)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run()
  }
  const setValue = (key: string, value: string) =>
    setDraft((all) => ({ ...all, values: { ...all.values, [key]: value } }))
  const sayWay: Readonly<Record<AuthMethod, string>> = {
    bearer: say.ways.bearer(held.session?.handle),
    basic: say.ways.basic(held.pair?.key),
    browser: here.person
      ? say.ways.browser(here.person.handle)
      : entry.callers === 'visitor'
        ? say.ways.browserVisitor
        : say.ways.browser(undefined),
    none: say.ways.none,
  }
  const needsFreshSignIn = way === 'browser' && here.person !== null && outcome?.errorCode === FRESH_SIGN_IN
  const told = { ...prepare(entry, draft), origin: location.origin, way }
  return (
    <>
      <Card title={say.title} id="try">
        {/* Outside of the form: submit events of its dialog would bubble to the form through the portal. */}
        <SignedIn ways={ways} example={entry.example} scopes={scopesFor(entry, samples)} />
        <form onSubmit={submit} noValidate className={classes.sent}>
          <Stack>
            <Sender entry={entry} way={way} />
            {before && (
              <Text size="sm">
                {say.after}{' '}
                <TextLink
                  to="/docs/$operationId"
                  params={{ operationId: before.id }}
                  preload={false}
                  inherit
                  underline="always"
                >
                  {before.summary}
                </TextLink>
              </Text>
            )}
            <div className={classes.form}>
              <NativeSelect
                label={say.as}
                value={way}
                data={ways.map((value) => ({ value, label: sayWay[value] }))}
                onChange={(event) => setChosen(event.currentTarget.value as AuthMethod)}
              />
              {entry.parameters.map((parameter) => {
                const key = keyOf(parameter)
                return (
                  <ParameterInput
                    key={key}
                    parameter={parameter}
                    value={draft.values[key] ?? ''}
                    hint={isParameter(parameter.name) ? entry.example.fill?.[parameter.name] : undefined}
                    isMissing={faults.missing.includes(parameter.name)}
                    onChange={(value) => setValue(key, value)}
                  />
                )
              })}
              {kind === 'any' && (
                <TextInput
                  className={classes.mono!}
                  label={say.type}
                  value={draft.type}
                  onChange={(event) => {
                    const type = event.currentTarget.value
                    setDraft((all) => ({ ...all, type }))
                  }}
                  autoComplete="off"
                  spellCheck={false}
                />
              )}
            </div>
            {kind === 'file' && (
              <Input.Wrapper label={say.file} id="try-file">
                <input
                  id="try-file"
                  type="file"
                  onChange={(event) => {
                    const file = event.currentTarget.files?.[0]
                    setDraft((all) => ({ ...all, file }))
                  }}
                />
              </Input.Wrapper>
            )}
            {(kind === 'json' || kind === 'csv' || kind === 'any') && (
              <Textarea
                className={classes.mono!}
                label={say.body}
                description={bodyHints.length > 0 && bodyHints.map((line) => <div key={line}>{line}</div>)}
                inputWrapperOrder={WRAPPER_ORDER}
                value={draft.body}
                rows={Math.min(18, Math.max(3, draft.body.split('\n').length + 1))}
                error={faults.body !== undefined && say.notJson(faults.body)}
                onChange={(event) => {
                  const body = event.currentTarget.value
                  setDraft((all) => ({ ...all, body }))
                }}
                spellCheck={false}
              />
            )}
            {entry.method !== 'GET' && (
              <Text size="sm" className={classes.line!} component="div">
                <TriangleAlert size={18} aria-hidden />
                <span>{say.changes(say.environments[here.environment])}</span>
              </Text>
            )}
            {isOpenable && (
              <Text size="sm" c="dimmed">
                {say.openText}
              </Text>
            )}
            <Group>
              {abort ? (
                // Different keys make this and the Send button different elements; otherwise the click on Stop would
                // also submit the form.
                <Button
                  key="stop"
                  color="red"
                  leftSection={<Square size={14} aria-hidden />}
                  onClick={() => abort.abort()}
                >
                  {say.stop}
                </Button>
              ) : (
                <Button
                  key="send"
                  type="submit"
                  disabled={kind === 'file' && draft.file === undefined}
                  {...(isOpenable && { leftSection: <ExternalLink size={16} aria-hidden /> })}
                >
                  {isOpenable ? say.open : say.send}
                </Button>
              )}
              <Button
                variant="subtle"
                color="gray"
                onClick={() => {
                  setDraft(draftOf(entry, samples, here, { ...held.session?.userIds, ...held.ids }))
                  setFaults({ missing: [] })
                }}
              >
                {say.reset}
              </Button>
            </Group>
            {problem && <Problem error={problem} />}
            {outcome && (
              <section aria-label={say.answer} className={classes.answer}>
                <AnswerShown outcome={outcome} />
                {needsFreshSignIn && (
                  <Alert mt="sm" color="yellow">
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={async () => {
                        if (await confirmSignIn()) await run()
                      }}
                    >
                      {say.again}
                    </Button>
                  </Alert>
                )}
              </section>
            )}
          </Stack>
        </form>
      </Card>
      <Card title={operation.snippets}>
        <Stack>
          <Text size="sm" c="dimmed">
            {operation.snippetText}
          </Text>
          {/* Mantine's control for this would add 3 kB to the page, whose budget is nearly used up. */}
          <div role="radiogroup" aria-label={operation.language} className={classes.languages}>
            {LANGUAGES.map((value) => (
              <label key={value}>
                <input
                  type="radio"
                  name="language"
                  checked={value === shown}
                  onChange={() => {
                    language = value
                    setShown(value)
                  }}
                />
                {operation.languages[value]}
              </label>
            ))}
          </div>
          <Code value={writeSnippet[shown](told)} what={`${operation.languages[shown]} ${operation.snippet}`} />
        </Stack>
      </Card>
    </>
  )
}

interface ParameterInputProps {
  readonly parameter: Parameter
  readonly value: string
  /** Says what to enter, if no example can contain a valid value. */
  readonly hint: string | undefined
  readonly isMissing: boolean
  readonly onChange: (value: string) => void
}

const WRAPPER_ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

/** A select field for parameters with few possible values, otherwise a text field. */
function ParameterInput({ parameter, value, hint, isMissing, onChange }: ParameterInputProps) {
  const { name, in: place, required = false, schema } = parameter
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String)
  const common = {
    className: classes.mono!,
    label: name,
    required,
    withAsterisk: required,
    description: hint === undefined ? operation.places[place] : say.fillIn(operation.places[place], hint),
    inputWrapperOrder: WRAPPER_ORDER,
    error: isMissing && say.missing(name),
    value,
  }
  return values ? (
    <NativeSelect
      {...common}
      data={['', ...values, ...(values.includes(value) || value === '' ? [] : [value])]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput
      {...common}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
