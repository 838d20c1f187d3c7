import { Alert, Button, Group, List, Stack, Text, ThemeIcon } from '@mantine/core'
import { useState } from 'react'
import { isConsentMissing } from '../../../api/call.ts'
import { launchDraftLesson, testLaunch } from '../../../api/operations.ts'
import { useWrite } from '../../../api/query.ts'
import { AllowDialog } from '../../../parts/allow-dialog.tsx'
import { Check, CircleAlert, ExternalLink, Info } from '../../../parts/icons.tsx'
import { Problem } from '../../../parts/states.tsx'
import { appWords as say } from './app-words.ts'
import type { KindFieldsProps } from './fields-props.ts'

const LOOKS = {
  ok: { Icon: Check, color: 'green' },
  note: { Icon: Info, color: 'gray' },
  problem: { Icon: CircleAlert, color: 'red' },
} as const

/** Tests the launch settings of a lesson, before they are saved, and opens the app as the author. */
export function AppTest({ course: { courseId }, lesson }: Pick<KindFieldsProps, 'course' | 'lesson'>) {
  const { id: lessonId, app = '', launchUri, passCode = false } = lesson
  const launchParameters = (lesson.launchParameters ?? []).filter((text) => !text.startsWith('='))
  const settings = { courseId, app, launchParameters, passCode, ...(launchUri && { launchUri }) }
  const test = useWrite(testLaunch)
  const launch = useWrite(launchDraftLesson)
  const [why, setWhy] = useState<string>()
  // The result is shown only for the settings that were tested.
  const isCurrent = JSON.stringify(test.variables) === JSON.stringify(settings)
  const checks = isCurrent ? test.data?.checks : undefined
  const open = (allow: boolean) => {
    // Opened before the answer comes, because browsers block windows that no click has opened.
    const tab = window.open('about:blank', '_blank')
    launch.mutate(
      { ...settings, launchUri: launchUri!, lessonId, allow },
      {
        onSuccess: ({ uri }) => {
          setWhy(undefined)
          if (!tab) return location.assign(uri)
          tab.opener = null
          tab.location.replace(uri)
        },
        onError: (error) => {
          tab?.close()
          setWhy(isConsentMissing(error) ? error.message : undefined)
        },
      },
    )
  }
  const problem = isConsentMissing(launch.error) ? null : launch.error
  return (
    <Stack gap="xs" align="stretch">
      <Group>
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate(settings)}>
          {say.test}
        </Button>
        {checks && launchUri && checks.every(({ result }) => result !== 'problem') && (
          <Button
            size="xs"
            variant="default"
            leftSection={<ExternalLink size={14} aria-hidden />}
            loading={launch.isPending}
            onClick={() => open(false)}
          >
            {say.open}
          </Button>
        )}
      </Group>
      {isCurrent && test.error && <Problem title={say.testFailed} error={test.error} />}
      {problem && <Problem title={say.openFailed} error={problem} />}
      {checks && (
        <Alert variant="outline" color="gray" title={say.tested} role="status">
          <List spacing={6} size="sm" center listStyleType="none">
            {checks.map(({ check, result, message, advice }) => {
              const { Icon, color } = LOOKS[result]
              return (
                <List.Item
                  key={`${check} ${message}`}
                  icon={
                    <ThemeIcon
                      size={20}
                      radius="xl"
                      variant="light"
                      color={color}
                      role="img"
                      aria-label={say.results[result]}
                    >
                      <Icon size={12} aria-hidden />
                    </ThemeIcon>
                  }
                >
                  {message}
                  {advice && (
                    <Text span size="sm" c="dimmed">
                      {` ${advice}`}
                    </Text>
                  )}
                </List.Item>
              )
            })}
          </List>
        </Alert>
      )}
      <AllowDialog
        title={say.allowTitle}
        why={why}
        text={say.allowText}
        go={say.allow}
        isPending={launch.isPending}
        onAllow={() => open(true)}
        onClose={() => setWhy(undefined)}
      />
    </Stack>
  )
}
