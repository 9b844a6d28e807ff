/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/base/ban.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

char *shell_quote(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-+=:,./@%";
	struct buf b = BUF_INIT;

	if (*word && word[strspn(word, safe)] == '\0')
		return strdup(word);
	buf_addc(&b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_add(&b, "'\\''");
		else
			buf_addc(&b, *word);
	}
	buf_addc(&b, '\'');
	return buf_take(&b);
}

char *exec_text(const char *const *argv)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; argv[i]; i++) {
		_cleanup_free_ char *word = shell_quote(argv[i]);

		if (!word) {
			buf_free(&b);
			return NULL;
		}
		if (i)
			buf_addc(&b, ' ');
		buf_add(&b, word);
	}
	return buf_take(&b);
}

struct pipes {
	int in[2];
	int out[2];
	int err[2];
	int started[2]; /* carries errno of a failed exec; closed by a successful one */
};

static void pipes_close(struct pipes *p)
{
	int *fds = (int *)p;

	for (size_t i = 0; i < sizeof(*p) / sizeof(int); i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
}

static int pipes_open(struct pipes *p)
{
	memset(p, 0xff, sizeof(*p)); /* every descriptor -1 */
	if (pipe2(p->in, O_CLOEXEC) || pipe2(p->out, O_CLOEXEC) || pipe2(p->err, O_CLOEXEC) ||
	    pipe2(p->started, O_CLOEXEC))
		return -errno;
	return 0;
}

static __attribute__((noreturn)) void child(const struct exec *e, const struct pipes *p)
{
	/* execvp() does not write to the words; its prototype is older than const. */
	const union {
		const char *const *constant;
		char *const *plain;
	} argv = {.constant = e->argv};
	sigset_t none;
	int err;

	(void)setpgid(0, 0);
	/* mkfs must not go on writing after this program was killed: undo would race it. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigemptyset(&none);
	for (int sig = 1; sig < NSIG; sig++)
		(void)signal(sig, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* Without input it is at its end at once: not /dev/null, which a bare container lacks. */
	if (dup2(p->in[0], 0) >= 0 && dup2(p->out[1], 1) >= 0 && dup2(p->err[1], 2) >= 0 &&
	    !setenv("LC_ALL", "C", 1))
		(void)execvp(e->argv[0], argv.plain);
	err = errno;
	if (write(p->started[1], &err, sizeof(err)) < 0)
		_exit(127);
	_exit(127);
}

/* Moves what is readable on `fd` into `b`; closes it at its end. */
static int drain(int *fd, struct buf *b)
{
	char block[8192];
	ssize_t n = read(*fd, block, sizeof(block));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0) {
		(void)close(*fd);
		*fd = -1;
		return 0;
	}
	if (b->len + (size_t)n > EXEC_OUTPUT_MAX)
		return -E2BIG;
	buf_addn(b, block, (size_t)n);
	return 0;
}

/* Writes the next part of the input; closes the pipe when it is through or nobody reads. */
static void feed(int *fd, const char *input, size_t *done)
{
	size_t left = strlen(input + *done);
	ssize_t n = left ? write(*fd, input + *done, left < 4096 ? left : 4096) : 0;

	if (n > 0)
		*done += (size_t)n;
	if (!input[*done] || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		(void)close(*fd);
		*fd = -1;
	}
}

/* Both streams to their end, within the limit. */
static int pump(struct pipes *p, const char *input, uint64_t deadline, struct buf *out,
		struct buf *err)
{
	size_t fed = 0;

	(void)fcntl(p->in[1], F_SETFL, O_NONBLOCK);
	while (p->out[0] >= 0 || p->err[0] >= 0) {
		struct pollfd fds[3] = {
			{.fd = p->out[0], .events = POLLIN},
			{.fd = p->err[0], .events = POLLIN},
			{.fd = p->in[1], .events = POLLOUT},
		};
		uint64_t now = now_ns();
		int r;

		if (now >= deadline)
			return -ETIMEDOUT;
		r = poll(fds, 3, (int)((deadline - now) / 1000000 + 1));
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r <= 0)
			continue;
		if (fds[0].revents && (r = drain(&p->out[0], out)) < 0)
			return r;
		if (fds[1].revents && (r = drain(&p->err[0], err)) < 0)
			return r;
		if (fds[2].revents)
			feed(&p->in[1], input, &fed);
	}
	return 0;
}

/* Waits for the child until the deadline, then kills its whole group. */
static int reap(pid_t pid, uint64_t deadline, bool kill_now, int *ret_status)
{
	int status, timed_out = 0;

	for (;;) {
		struct timespec nap = {.tv_nsec = 2000000};
		pid_t r;

		if (kill_now || now_ns() >= deadline) {
			timed_out = !kill_now;
			(void)kill(-pid, SIGKILL);
			(void)kill(pid, SIGKILL);
			/* A child in uninterruptible sleep cannot be waited for; give it 2 s. */
			deadline = now_ns() + 2000000000ULL;
			for (;;) {
				r = waitpid(pid, &status, WNOHANG);
				if (r || now_ns() >= deadline)
					break;
				(void)nanosleep(&nap, NULL);
			}
			if (r != pid)
				status = SIGKILL;
			break;
		}
		r = waitpid(pid, &status, WNOHANG);
		if (r == pid)
			break;
		if (r < 0 && errno != EINTR)
			return -errno;
		(void)nanosleep(&nap, NULL);
	}
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return timed_out ? -ETIMEDOUT : 0;
}

/* Parent side, after the fork. */
static int follow(const struct exec *e, struct pipes *p, pid_t pid, uint64_t deadline,
		  struct exec_result *ret)
{
	_cleanup_buf_ struct buf out = BUF_INIT, err = BUF_INIT;
	int failed = 0, r, r2;

	(void)close(p->in[0]);
	(void)close(p->out[1]);
	(void)close(p->err[1]);
	(void)close(p->started[1]);
	p->in[0] = p->out[1] = p->err[1] = p->started[1] = -1;
	if (!e->input) {
		(void)close(p->in[1]);
		p->in[1] = -1;
	}
	if (read(p->started[0], &failed, sizeof(failed)) == (ssize_t)sizeof(failed)) {
		(void)waitpid(pid, NULL, 0);
		return -failed;
	}
	r = pump(p, e->input, deadline, &out, &err);
	r2 = reap(pid, deadline, r != 0, &ret->status);
	if (!r)
		r = r2;
	ret->timed_out = r == -ETIMEDOUT;
	ret->out = buf_take(&out);
	ret->err = buf_take(&err);
	if (!ret->out || !ret->err)
		return -ENOMEM;
	return r;
}

int exec_run(const struct exec *e, struct exec_result *ret)
{
	_cleanup_free_ char *text = exec_text(e->argv);
	uint64_t limit = e->limit_ns ? e->limit_ns : EXEC_LIMIT_DEFAULT_NS;
	uint64_t start = now_ns();
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	struct pipes p;
	pid_t pid;
	int r;

	*ret = (struct exec_result){.status = -1};
	if (!text)
		return -ENOMEM;
	log_line(e->log, "+ %s", text);
	r = pipes_open(&p);
	if (!r) {
		(void)sigaction(SIGPIPE, &ignore, &old);
		pid = fork();
		if (!pid)
			child(e, &p);
		r = pid < 0 ? -errno : follow(e, &p, pid, start + limit, ret);
		(void)sigaction(SIGPIPE, &old, NULL);
	}
	pipes_close(&p);
	if (ret->out && *ret->out)
		log_line(e->log, "  out: %s", ret->out);
	if (ret->err && *ret->err)
		log_line(e->log, "  err: %s", ret->err);
	log_line(e->log, "  = %d in %.3f s%s%s", ret->status, (double)(now_ns() - start) / 1e9,
		 r ? ": " : "", r ? strerror(-r) : "");
	return r;
}

void exec_result_free(struct exec_result *r)
{
	free(r->out);
	free(r->err);
	*r = (struct exec_result){.status = -1};
}

/* The last line that says something, in place. */
static const char *last_line(char *s)
{
	char *line;

	str_strip(s);
	line = strrchr(s, '\n');
	return line ? line + 1 : s;
}

int exec_ok(const struct exec *e, const char *where, struct exec_result *ret, struct why *why)
{
	_cleanup_exec_ struct exec_result local = {.status = -1};
	struct exec_result *res = ret ? ret : &local;
	_cleanup_free_ char *failed = str_printf("%s failed", e->argv[0]);
	int r = exec_run(e, res);

	if (r == -ENOENT)
		return why_set(why, r, failed, where, "install the package that holds it",
			       "no such program in PATH");
	if (r == -ETIMEDOUT)
		return why_set(why, r, failed, where, "see run.log",
			       "did not end within its time limit and was stopped");
	if (r)
		return why_set(why, r, failed, where, NULL, "%s", strerror(-r));
	if (res->status) {
		char *said = res->err && *res->err ? res->err : res->out;

		return why_set(why, -EIO, failed, where, "see run.log", "exit status %d: %s",
			       res->status, said ? last_line(said) : "it said nothing");
	}
	return 0;
}
