/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "probes/counters/number.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

#define SMART_JSON_MAX (16u << 20)

static void cleanup_json(struct json_object **o)
{
	json_object_put(*o);
}
#define _cleanup_json_ __attribute__((cleanup(cleanup_json)))

void smart_identity_free(struct smart_identity *id)
{
	fact_str_free(&id->model);
	fact_str_free(&id->serial);
	fact_str_free(&id->firmware);
	fact_str_free(&id->wwid);
	fact_str_free(&id->protocol);
	fact_str_free(&id->behind);
	fact_str_free(&id->device);
	fact_u64_free(&id->capacity_bytes);
	fact_u64_free(&id->logical_block_bytes);
	fact_u64_free(&id->rotation_rate);
}

struct json_object *smart_get(struct json_object *o, const char *key, enum json_type type)
{
	struct json_object *v = NULL;

	if (!json_object_is_type(o, json_type_object) || !json_object_object_get_ex(o, key, &v))
		return NULL;
	return json_object_is_type(v, type) ? v : NULL;
}

struct json_object *smart_object(struct json_object *o, const char *key)
{
	return smart_get(o, key, json_type_object);
}

/*
 * Puts whole numbers of 19 digits and more into quotes, since json-c would clip them to 64 bits
 * without a word; u128_parse() then reads them exactly.
 */
static char *quote_wide_numbers(const char *text, size_t len)
{
	_cleanup_buf_ struct buf b = BUF_INIT;
	bool in_string = false;

	for (size_t i = 0; i < len;) {
		size_t n = 0;

		if (text[i] == '"')
			in_string = !in_string;
		else if (text[i] == '\\' && in_string && i + 1 < len)
			buf_addc(&b, text[i++]);
		else if (!in_string && isdigit((unsigned char)text[i]) &&
			 (!i || !strchr("-+.eE", text[i - 1])))
			while (i + n < len && isdigit((unsigned char)text[i + n]))
				n++;
		if (n >= 19 && (i + n == len || !strchr(".eE", text[i + n]))) {
			buf_addc(&b, '"');
			buf_addn(&b, text + i, n);
			buf_addc(&b, '"');
		} else {
			n = n ? n : 1;
			buf_addn(&b, text + i, n);
		}
		i += n;
	}
	return buf_take(&b);
}

static int parse(const char *text, size_t len, const char *name, struct json_object **ret,
		 struct why *why)
{
	_cleanup_free_ char *copy = NULL;

	if (len > SMART_JSON_MAX)
		return why_set(why, -EFBIG, "cannot read the SMART file", name, NULL,
			       "%zu bytes is more than such a file can hold", len);
	if (memchr(text, '\0', len))
		return why_set(why, -EINVAL, "cannot read the SMART file", name,
			       "give the JSON that smartctl -j or nvme -o json printed",
			       "holds a NUL byte");
	copy = quote_wide_numbers(text, len);
	if (!copy)
		return -ENOMEM;
	return json_parse_text(copy, strlen(copy), name, ret, why);
}

static void set_text(struct json_object *o, const char *key, struct fact_str *ret)
{
	struct json_object *v = smart_get(o, key, json_type_string);
	_cleanup_free_ char *copy = v ? strdup(json_object_get_string(v)) : NULL;
	const char *s = copy ? str_strip(copy) : "";

	if (*s)
		(void)fact_str_set(ret, s, NULL);
	else if (ret->state != FACT_KNOWN)
		fact_str_no(ret, FACT_ABSENT, "the document has no %s", key);
}

static void set_count(struct json_object *o, const char *key, struct fact_u64 *ret)
{
	u128 v;

	if (ret->state == FACT_KNOWN)
		return;
	if (o && !json_u128(o, key, &v) && v && v <= UINT64_MAX)
		(void)fact_u64_set(ret, (uint64_t)v, key);
	else
		fact_u64_no(ret, FACT_ABSENT, "the document has no %s", key);
}

/* Capacity: of the namespace or disk; of the controller where only that is there. */
static void identity_capacity(struct json_object *top, struct smart_identity *id)
{
	struct json_object *a = smart_get(top, "nvme_namespaces", json_type_array);

	set_count(smart_object(top, "user_capacity"), "bytes", &id->capacity_bytes);
	if (a && json_object_array_length(a))
		set_count(smart_object(json_object_array_get_idx(a, 0), "size"), "bytes",
			  &id->capacity_bytes);
	set_count(top, "nvme_total_capacity", &id->capacity_bytes);
}

static void identity_wwid(struct json_object *top, struct smart_identity *id)
{
	struct json_object *wwn = smart_object(top, "wwn");
	u128 naa, oui, serial;
	_cleanup_free_ char *text = NULL;

	if (wwn && !json_u128(wwn, "naa", &naa) && !json_u128(wwn, "oui", &oui) &&
	    !json_u128(wwn, "id", &serial) && naa < 16 && oui < 1 << 24 && serial < (u128)1 << 36)
		text = str_printf("naa.%x%06x%09llx", (unsigned)naa, (unsigned)oui,
				  (unsigned long long)serial);
	if (text)
		(void)fact_str_set(&id->wwid, text, "smartctl");
	else
		fact_str_no(&id->wwid, FACT_ABSENT, "the document has no wwn");
}

/* smartctl 7.3 renamed the SCSI keys: the string of either, or NULL. */
static const char *text_of(struct json_object *top, const char *key, const char *old)
{
	struct json_object *v = smart_get(top, key, json_type_string);

	v = v ? v : smart_get(top, old, json_type_string);
	return v ? json_object_get_string(v) : NULL;
}

/* "sat+megaraid,0" -> "megaraid,0"; plain types ("sat", "nvme", "scsi") are no controller. */
static void identity_behind(struct json_object *top, struct smart_identity *id)
{
	static const char *const raid[] = {"megaraid", "sssraid", "3ware",  "areca",
					   "cciss",    "hpt",	  "aacraid", "marvell"};
	struct json_object *v = smart_get(smart_object(top, "device"), "type", json_type_string);
	const char *type = v ? json_object_get_string(v) : "";

	for (size_t i = 0; i < ARRAY_SIZE(raid); i++) {
		const char *at = strstr(type, raid[i]);

		if (at) {
			(void)fact_str_set(&id->behind, at, "smartctl device type");
			return;
		}
	}
	if (smart_is_scsi(top) && smart_is_raid_volume(text_of(top, "scsi_vendor", "vendor"),
						       text_of(top, "scsi_product", "product"))) {
		(void)fact_str_set(&id->behind, "its volume, not a drive", "INQUIRY");
		return;
	}
	fact_str_no(&id->behind, FACT_ABSENT, "no RAID controller named");
}

static void identity_smartctl(struct json_object *top, struct smart_identity *id)
{
	set_text(top, "model_name", &id->model);
	if (id->model.state != FACT_KNOWN)
		set_text(top, "scsi_model_name", &id->model);
	set_text(top, "serial_number", &id->serial);
	set_text(top, "firmware_version", &id->firmware);
	if (id->firmware.state != FACT_KNOWN)
		set_text(top, "scsi_revision", &id->firmware);
	if (id->firmware.state != FACT_KNOWN)
		set_text(top, "revision", &id->firmware);
	set_text(smart_object(top, "device"), "protocol", &id->protocol);
	set_text(smart_object(top, "device"), "name", &id->device);
	identity_behind(top, id);
	identity_wwid(top, id);
	identity_capacity(top, id);
	set_count(top, "logical_block_size", &id->logical_block_bytes);
	if (smart_get(top, "rotation_rate", json_type_int))
		(void)fact_u64_set(&id->rotation_rate,
				   json_object_get_uint64(
					   smart_get(top, "rotation_rate", json_type_int)),
				   "smartctl");
}

/* The first message of severity "error", or NULL. */
static const char *smartctl_error(struct json_object *top)
{
	struct json_object *a =
		smart_get(smart_object(top, "smartctl"), "messages", json_type_array);
	size_t n = a ? json_object_array_length(a) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *m = json_object_array_get_idx(a, i);
		struct json_object *severity = smart_get(m, "severity", json_type_string);
		struct json_object *text = smart_get(m, "string", json_type_string);

		if (severity && text && !strcmp(json_object_get_string(severity), "error"))
			return json_object_get_string(text);
	}
	return NULL;
}

/* smartctl(8), EXIT STATUS: bits 0..2 say that something was not read, 3..7 are the drive's state. */
static void exit_status_note(struct json_object *top, struct wear *w)
{
	struct json_object *v =
		smart_get(smart_object(top, "smartctl"), "exit_status", json_type_int);
	int64_t status = v ? json_object_get_int64(v) : 0;

	if (status & 0x04)
		(void)strv_addf(&w->notes, "smartctl: a SMART or ATA command failed, or a checksum was "
				"wrong (exit status %lld)", (long long)status);
	if (status & 0x08)
		(void)strv_addf(&w->notes, "smartctl: the drive says that it is failing");
	if (status & 0x30)
		(void)strv_addf(&w->notes, "smartctl: an attribute is or was below its threshold");
}

static int from_smartctl(struct json_object *top, const char *name, struct smart_identity *id,
			 struct wear *w, struct why *why)
{
	struct json_object *nvme = smart_object(top, "nvme_smart_health_information_log");
	const char *error = smartctl_error(top);
	int r;

	identity_smartctl(top, id);
	if (id->model.state != FACT_KNOWN && error)
		return why_set(why, -EIO, "no drive in the SMART file", name,
			       "read the drive again, as root", "smartctl said: %s", error);
	exit_status_note(top, w);
	if (nvme) {
		smart_nvme(nvme, false, "smartctl: NVMe SMART log 02h", w);
		return 0;
	}
	if (smart_is_scsi(top)) {
		r = smart_scsi(top, w);
		if (r != -ENODATA)
			return r;
		if (id->behind.state == FACT_KNOWN)
			return why_set(why, -ENODATA, "no counters in the SMART file", name,
				       "read the drives behind it: smartctl -j -a -d megaraid,N DEVICE (or "
				       "cciss,N; see smartctl(8))",
				       "%s is a RAID controller's volume, which has no wear of its own",
				       fact_str_or(&id->model, "this"));
		return why_set(why, -ENODATA, "no counters in the SMART file", name,
			       "let smartctl print all log pages: smartctl -j -x DEVICE", "%s",
			       error ? error
				     : "the SCSI drive gave no error counter log, no endurance "
				       "indicator, no hours and no temperature");
	}
	r = smart_ata(top, fact_str_or(&id->model, NULL), w, why);
	if (r != -ENODATA)
		return r;
	return why_set(why, -ENODATA, "no counters in the SMART file", name,
		       "let smartctl print them: smartctl -j -a -l devstat DEVICE", "%s",
		       error ? error : "neither an NVMe health log nor ATA attributes");
}

static int dispatch(struct json_object *top, const char *name, struct smart_identity *id,
		    struct wear *w, struct why *why)
{
	if (!json_object_is_type(top, json_type_object))
		return why_set(why, -EINVAL, "cannot read the SMART file", name, NULL,
			       "the document is no object");
	if (smart_object(top, "smartctl") || smart_object(top, "device"))
		return from_smartctl(top, name, id, w, why);
	if (smart_ocp(top, w))
		return 0;
	if (json_object_object_get_ex(top, "data_units_written", NULL)) {
		smart_nvme(top, true, "nvme smart-log", w);
		return 0;
	}
	if (smart_get(top, "Devices", json_type_array))
		return why_set(why, -ENODATA, "no counters in the SMART file", name,
			       "give what nvme smart-log -o json printed for one drive",
			       "this is a list of drives (nvme list)");
	return why_set(why, -EINVAL, "cannot read the SMART file", name,
		       "give the JSON of smartctl -j -a, nvme smart-log -o json, or "
		       "nvme ocp smart-add-log -o json",
		       "none of the documents that this program reads");
}

int wear_from_json(const char *text, size_t len, const char *name, struct smart_identity *ret_id,
		   struct wear *ret, struct why *why)
{
	_cleanup_smart_identity_ struct smart_identity id = {0};
	_cleanup_json_ struct json_object *top = NULL;
	struct wear w = {0};
	int r = parse(text, len, name, &top, why);

	if (!r)
		r = dispatch(top, name, &id, &w, why);
	if (r) {
		wear_free(&w);
		return r;
	}
	wear_lifetime(&w);
	*ret = w;
	*ret_id = id;
	id = (struct smart_identity){0};
	return 0;
}

static void list_item(struct json_object *o, struct smart_identity *id)
{
	set_text(o, "ModelNumber", &id->model);
	set_text(o, "SerialNumber", &id->serial);
	set_text(o, "Firmware", &id->firmware);
	set_text(o, "DevicePath", &id->device);
	set_count(o, "PhysicalSize", &id->capacity_bytes);
	set_count(o, "SectorSize", &id->logical_block_bytes);
	(void)fact_str_set(&id->protocol, "NVMe", NULL);
}

int identities_from_nvme_list(const char *text, size_t len, const char *name,
			      struct smart_identity **ret, size_t *ret_n, struct why *why)
{
	_cleanup_json_ struct json_object *top = NULL;
	struct smart_identity *ids;
	struct json_object *a;
	size_t n;
	int r = parse(text, len, name, &top, why);

	if (r)
		return r;
	a = smart_get(top, "Devices", json_type_array);
	if (!a)
		return why_set(why, -EINVAL, "cannot read the list of drives", name,
			       "give what nvme list -o json printed", "it has no Devices");
	n = json_object_array_length(a);
	ids = calloc(n ? n : 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		list_item(json_object_array_get_idx(a, i), &ids[i]);
	*ret = ids;
	*ret_n = n;
	return 0;
}
