import { ActionIcon, Button, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type LessonApp, listLessonApps, readLessonApp } from '../../../api/operations.ts'
import { query } from '../../../api/query.ts'
import { Plus, X } from '../../../parts/icons.tsx'
import { AppTest } from './app-test.tsx'
import { appWords as say } from './app-words.ts'
import type { KindFieldsProps } from './fields-props.ts'
import { joinLaunchUri, splitLaunchUri, splitParameter } from './launch-uri.ts'

const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}

/** Chooses the app that delivers a lesson, and how the app opens it. */
export function AppFields(props: KindFieldsProps) {
  const { course, lesson, onChange, errors } = props
  const { app } = lesson
  const chosen = useQuery({
    ...query(readLessonApp, { courseId: course.courseId, app: app ?? '' }),
    enabled: app !== undefined && app !== '',
  })
  const found = app ? chosen.data : undefined
  const uris = found?.redirectUris ?? []
  const launch = splitLaunchUri(lesson.launchUri, uris)
  const setLaunch = (uri: string | null, added: string) => onChange({ launchUri: uri ? joinLaunchUri(uri, added) : '' })
  const isPublic = found?.publicClient ?? false
  return (
    <>
      <AppPicker courseId={course.courseId} app={app} known={found} error={errors.app} onChange={onChange} />
      {app && (
        <>
          <Select
            label={say.launchUri}
            description={found && uris.length === 0 ? say.noUris : say.launchUriHelp}
            {...ORDER}
            clearable
            data={[...new Set([...(launch ? [launch.uri] : []), ...uris])]}
            value={launch?.uri ?? null}
            error={errors.launchUri}
            onChange={(uri) => {
              setLaunch(uri, launch?.added ?? '')
              if (!uri) onChange({ launchUri: '', passCode: false })
            }}
          />
          {launch && (
            <TextInput
              label={say.query}
              description={say.queryHelp}
              {...ORDER}
              spellCheck={false}
              maxLength={1000}
              value={launch.added}
              onChange={(event) => setLaunch(launch.uri, event.currentTarget.value.replace(/^\?/, ''))}
            />
          )}
          <Parameters {...props} />
          <Switch
            label={say.signIn}
            description={isPublic ? say.signInPublic : launch ? say.signInHelp : say.signInNoUri}
            checked={lesson.passCode ?? false}
            disabled={(isPublic || !launch) && !lesson.passCode}
            error={errors.passCode}
            onChange={(event) => onChange({ passCode: event.currentTarget.checked })}
          />
          <AppTest course={course} lesson={lesson} />
        </>
      )}
    </>
  )
}

const SHOWN = 20
const REST_MS = 200

interface AppPickerProps {
  readonly courseId: string
  readonly app: string | undefined
  readonly known: LessonApp | undefined
  readonly error: string | undefined
  readonly onChange: KindFieldsProps['onChange']
}

function AppPicker({ courseId, app, known, error, onChange }: AppPickerProps) {
  const [typed, setTyped] = useState('')
  const [text] = useDebouncedValue(typed.trim(), REST_MS)
  // After a choice, the field contains the name of the app, which must not be used as a search.
  const isSearch = text !== '' && text !== known?.name && text !== app
  const { data } = useQuery({
    ...query(listLessonApps, { courseId, limit: SHOWN, ...(isSearch && { query: text }) }),
    placeholderData: keepPreviousData,
  })
  const found = data?.docs ?? []
  const all = known && !found.some((one) => one.app === known.app) ? [known, ...found] : found
  const options = all.map((one) => ({ value: one.app, label: one.name }))
  return (
    <Select
      label={say.label}
      description={say.help}
      {...ORDER}
      searchable
      allowDeselect={false}
      nothingFoundMessage={say.none}
      data={app && !options.some(({ value }) => value === app) ? [{ value: app, label: app }, ...options] : options}
      // The platform has already filtered the list.
      filter={({ options: listed }) => listed}
      renderOption={({ option }) => <AppOption app={all.find((one) => one.app === option.value)} name={option.label} />}
      value={app || null}
      error={error}
      onSearchChange={setTyped}
      onChange={(key) => {
        const next = all.find((one) => one.app === key)
        onChange({ app: key ?? '', launchUri: '', ...(next?.publicClient && { passCode: false }) })
      }}
    />
  )
}

function AppOption({ app, name }: { readonly app: LessonApp | undefined; readonly name: string }) {
  const facts = [
    app?.app,
    app?.owner && say.by(app.owner),
    app && app.status !== 'approved' && (app.status === 'pending' ? say.pending : say.suspended),
  ].filter(Boolean)
  return (
    <div>
      {name}
      <Text size="xs" c="dimmed">
        {facts.join(' · ')}
      </Text>
    </div>
  )
}

function Parameters({ lesson, onChange, errors }: KindFieldsProps) {
  const { launchParameters: rows = [] } = lesson
  const set = (launchParameters: string[]) => onChange({ launchParameters })
  const setRow = (i: number, name: string, value: string) => set(rows.with(i, `${name.replaceAll('=', '')}=${value}`))
  return (
    <Stack gap={6} role="group" aria-label={say.parameters}>
      <div>
        <Text size="sm" fw={500}>
          {say.parameters}
        </Text>
        <Text size="xs" c="dimmed">
          {say.parametersHelp}
        </Text>
      </div>
      {rows.map((row, i) => {
        const [name, value] = splitParameter(row)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
          <Group key={i} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              flex={1}
              miw={0}
              aria-label={say.name(i + 1)}
              placeholder={say.nameHint}
              spellCheck={false}
              maxLength={100}
              value={name}
              error={errors[`launchParameters/${i}`]}
              onChange={(event) => setRow(i, event.currentTarget.value, value)}
            />
            <TextInput
              flex={1}
              miw={0}
              aria-label={say.value(i + 1)}
              placeholder={say.valueHint}
              spellCheck={false}
              maxLength={390}
              value={value}
              onChange={(event) => setRow(i, name, event.currentTarget.value)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={say.removeParameter(i + 1)}
              onClick={() => set(rows.filter((_, j) => j !== i))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          disabled={rows.length >= 50}
          onClick={() => set([...rows, '='])}
        >
          {say.add}
        </Button>
      </Group>
    </Stack>
  )
}
